import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp, type TestRequest } from '../../harness/app.js';
import {
  type Home,
  insert,
  newCollection,
  newHome,
  newName,
  type TestCollection,
} from '../../harness/collection.js';
import { signIn } from '../auth/person.js';
import { emailOf, enter, newKey, newMember, newOrg, newSlug } from '../orgs/org.js';
import { type Bound, newAgent, newGroup, withGroup, withOrg, withUser } from './sharing.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
  const auth = { anonymous: { enabled: true, role: 'member' } };
  await app.request('PATCH', home.org.path, { ...home.owner, body: { auth } });
});

type By = Pick<TestRequest, 'token' | 'key' | 'headers'>;

async function share({ path }: TestCollection, bound: object, rules: object, role = 'reader') {
  const body = { ...bound, role, rules };
  const answer = await app.request('POST', `${path}/access`, { ...home.owner, body });
  if (answer.status > 201) throw new Error(`nothing was granted: ${answer.status} ${answer.text}`);
}

/** True when the rule has the value for the caller: exactly the record with the value is seen. */
async function has(by: By, bound: object, variable: string, value: string): Promise<boolean> {
  const books = await newCollection(app, home);
  await insert(app, books, { v: value }, { v: 'another' }, { v: `\${${variable}}` });
  await share(books, bound, { read: { v: `\${${variable}}` } });
  const { status, body } = await app.request('POST', `${books.data}/query`, { ...by, body: {} });
  expect(status).toBe(200);
  const found = body.records.map(({ v }: { v: string }) => v);
  expect([[], [value]]).toContainEqual(found);
  return found.length === 1;
}

/** No record is seen by a rule that is true for all records but those with the value. */
async function hasNone(by: By, bound: object, variable: string): Promise<void> {
  const books = await newCollection(app, home);
  await insert(app, books, { v: 'x' }, {});
  const text = `\${${variable}}`;
  await share(books, bound, { read: { $or: [{ v: 'x' }, { v: { $ne: text } }, { $nor: [{ v: text }] }] } });
  const { status, body } = await app.request('GET', `${books.data}/count`, by);
  expect([status, body.count]).toEqual([200, 0]);
}

const withAgent = ({ id }: { id: string }) => ({ principal_type: 'agent', principal_id: id });

describe('the variables of a user', () => {
  it('are those of a person who signed in', async () => {
    const ada = await newMember(app, home.org);
    const bound = withUser(ada);
    expect(await has(ada, bound, 'caller.id', ada.userId)).toBe(true);
    expect(await has(ada, bound, 'user.id', ada.userId)).toBe(true);
    expect(await has(ada, bound, 'user.email', await emailOf(app, ada))).toBe(true);
    expect(await has(ada, bound, 'user.role', 'member')).toBe(true);
    expect(await has(ada, bound, 'org.slug', home.org.slug)).toBe(true);
    await hasNone(ada, bound, 'agent.id');
    await hasNone(ada, bound, 'key.id');
  });

  it('are those of the owner of a key, which has its id too', async () => {
    const ada = await newMember(app, home.org);
    const key = await newKey(app, home.org, {
      ownerType: 'user',
      ownerId: ada.userId,
      permissions: ['collections:*'],
    });
    const by = { key: key.apiKey };
    expect(await has(by, withUser(ada), 'user.id', ada.userId)).toBe(true);
    expect(await has(by, withUser(ada), 'caller.id', ada.userId)).toBe(true);
    expect(await has(by, withUser(ada), 'key.id', key.id)).toBe(true);
    expect(await has(by, withUser(ada), 'user.email', await emailOf(app, ada))).toBe(true);
  });

  it('have no address that is not verified, and get it once it is', async () => {
    const ada = await newMember(app, home.org);
    const email = await emailOf(app, ada);
    await app.sql('UPDATE users SET email_verified = false WHERE id = $1', [ada.userId]);
    await expect.poll(() => has(ada, withUser(ada), 'user.email', email)).toBe(false);
    await hasNone(ada, withUser(ada), 'user.email');
    await app.sql('UPDATE users SET email_verified = true WHERE id = $1', [ada.userId]);
    await expect.poll(() => has(ada, withUser(ada), 'user.email', email)).toBe(true);
  });

  it('have the groups and the role in the organization of the collection, whichever is active', async () => {
    const ada = await newMember(app, home.org);
    const other = await newOrg(app);
    await enter(app, other, ada, 'admin');
    const group = await newGroup(app, other, ada);
    const mine = await newGroup(app, home.org, ada);
    const inOther = await signIn(app, ada.userId, { activeOrgSlug: other.slug });
    const books = await newCollection(app, home);
    await insert(app, books, { team: group }, { team: mine }, { team: 'x' }, { team: [mine, 'y'] });
    await share(books, withUser(ada), { read: { team: { $in: '${user.groups}' } } });
    const { body } = await app.request('POST', `${books.data}/query`, { ...inOther, body: {} });
    expect(body.records).toMatchObject([{ team: mine }, { team: [mine, 'y'] }]);
    expect(body.records).toHaveLength(2);
    expect(await has(inOther, withUser(ada), 'user.role', 'member')).toBe(true);
    expect(await has(inOther, withUser(ada), 'org.slug', home.org.slug)).toBe(true);
  });

  it('follow a change of the groups', async () => {
    const ada = await newMember(app, home.org);
    const books = await newCollection(app, home);
    const slug = newSlug();
    await insert(app, books, { team: slug });
    await share(books, withUser(ada), { read: { team: { $in: '${user.groups}' } } });
    const count = async () => (await app.request('GET', `${books.data}/count`, ada)).body.count;
    expect(await count()).toBe(0);
    await app.request('POST', `${home.org.path}/groups`, { ...home.owner, body: { slug, name: 'Group' } });
    const users = [{ userId: ada.userId }];
    await app.request('POST', `${home.org.path}/groups/${slug}/members`, { ...home.owner, body: { users } });
    await expect.poll(count).toBe(1);
  });
});

describe('other principals', () => {
  it('a member of a group and of the organization has the variables of a user', async () => {
    const ada = await newMember(app, home.org);
    const bounds: Bound[] = [withGroup(home.org, await newGroup(app, home.org, ada)), withOrg(home.org)];
    for (const bound of bounds) expect(await has(ada, bound, 'user.id', ada.userId)).toBe(true);
  });

  it('an agent has its id and that of its key, and nothing of a user', async () => {
    const agent = await newAgent(app, home.org);
    const by = { key: agent.key };
    expect(await has(by, withAgent(agent), 'agent.id', agent.id)).toBe(true);
    expect(await has(by, withAgent(agent), 'caller.id', agent.id)).toBe(true);
    const [{ id }] = await app.sql('SELECT id FROM org_api_keys WHERE owner_id = $1', [agent.id]);
    expect(await has(by, withAgent(agent), 'key.id', id)).toBe(true);
    expect(await has(by, withOrg(home.org), 'agent.id', agent.id)).toBe(true);
    for (const name of ['user.id', 'user.email', 'user.role']) await hasNone(by, withAgent(agent), name);
  });

  it('a user who acts for an agent has nothing of the user', async () => {
    const agent = await newAgent(app, home.org);
    const by = { ...home.owner, headers: { 'x-platform-agent-id': agent.id } };
    expect(await has(by, withAgent(agent), 'agent.id', agent.id)).toBe(true);
    expect(await has(by, withAgent(agent), 'caller.id', agent.id)).toBe(true);
    for (const name of ['user.id', 'user.email', 'user.role', 'key.id'])
      await hasNone(by, withAgent(agent), name);
  });

  it('an anonymous member is bound as anonymous, and not by a binding of the organization', async () => {
    const login = await app.request('POST', '/v2/login/anonymous', { body: { orgSlug: home.org.slug } });
    const by = { token: login.body.token };
    const bound = { principal_type: 'anonymous', principal_id: home.org.slug };
    expect(await has(by, bound, 'caller.id', login.body.userId)).toBe(true);
    expect(await has(by, bound, 'user.id', login.body.userId)).toBe(true);
    await hasNone(by, bound, 'user.email');
    const books = await newCollection(app, home);
    await share(books, withOrg(home.org), { read: true });
    expect((await app.request('GET', `${books.data}/count`, by)).status).toBe(404);
    const named = await newMember(app, home.org);
    await share(books, bound, { read: true }, 'editor');
    expect((await app.request('GET', `${books.data}/count`, by)).status).toBe(200);
    // Of an anonymous editor, absent rules are false.
    const write = { ...by, body: { records: {} } };
    expect((await app.request('POST', books.data, write)).status).toBe(403);
    const listed = await app.request('GET', `/v1/collections?scope=shared&q=${books.name}`, by);
    expect(listed.body.items).toMatchObject([{ collection_id: books.id, my_role: 'editor' }]);
    const anonymousOnly = await newCollection(app, home);
    await share(anonymousOnly, bound, { read: true });
    expect((await app.request('GET', `${anonymousOnly.data}/count`, named)).status).toBe(404);
    const seen = await app.request('GET', `/v1/collections?scope=all&q=${anonymousOnly.name}`, named);
    expect(seen.body.items).toEqual([]);
  });

  it('a binding of the user reaches an anonymous member', async () => {
    const login = await app.request('POST', '/v2/login/anonymous', { body: { orgSlug: home.org.slug } });
    expect(await has({ token: login.body.token }, withUser(login.body), 'user.id', login.body.userId)).toBe(
      true,
    );
  });

  it('a collection key has its id, and nothing of a user', async () => {
    const books = await newCollection(app, home);
    const permissions = ['collections:read', 'collections:write'];
    const body = {
      slug: newName(),
      name: 'Key',
      permissions,
      rules: { read: { v: '${key.id}' }, create: true },
    };
    const { id, secret } = (await app.request('POST', `${books.path}/api-keys`, { ...home.owner, body }))
      .body;
    await insert(app, books, { v: id }, { v: 'x' }, {});
    const count = async () => (await app.request('GET', `${books.data}/count`, { key: secret })).body.count;
    expect(await count()).toBe(1);
    const patch = (rules: object) =>
      app.request('PATCH', `${books.path}/api-keys/${id}`, { ...home.owner, body: { rules } });
    await patch({ read: { v: '${caller.id}' } });
    await expect.poll(count).toBe(1);
    await patch({ read: { v: { $ne: '${user.id}' } } });
    await expect.poll(count).toBe(0);
    await patch({ read: { v: 'x' } });
    await expect.poll(count).toBe(1);
  });

  it('an ownerless key of the organization is owner, and no rule binds it', async () => {
    const books = await newCollection(app, home);
    await insert(app, books, { v: 1 });
    await share(books, withOrg(home.org), { read: false });
    const { apiKey } = await newKey(app, home.org);
    const { body } = await app.request('GET', books.path, { key: apiKey });
    expect(body).toMatchObject({ my_role: 'owner', my_access: { restricted: false } });
    expect((await app.request('GET', `${books.data}/count`, { key: apiKey })).body.count).toBe(1);
  });
});

it('compares with the time of each request', async () => {
  const ada = await newMember(app, home.org);
  const books = await newCollection(app, home, {
    properties: { at: { type: 'datetime' }, on: { type: 'date' } },
  });
  const soon = new Date(Date.now() + 3000).toISOString();
  const today = new Date().toISOString().slice(0, 10);
  await insert(app, books, { at: soon, on: today }, { at: '2000-01-01T00:00:00Z', on: '2000-01-01' });
  await share(books, withUser(ada), { read: { at: { $lte: '${now}' } } });
  const count = async () => (await app.request('GET', `${books.data}/count`, ada)).body.count;
  expect(await count()).toBe(1);
  await expect.poll(count, { timeout: 10_000, interval: 500 }).toBe(2);
  await share(books, withUser(ada), { read: { on: '${today}' } });
  expect(await count()).toBe(1);
});

it('a value is never read as an operator or a variable', async () => {
  const ada = await newMember(app, home.org);
  const text = '${user.id}';
  await app.sql('UPDATE users SET email = $1 WHERE id = $2', [text, ada.userId]);
  await expect.poll(() => has(ada, withUser(ada), 'user.email', text).catch(() => false)).toBe(true);
});
