import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { eventsOf, type Home, newCollection, newHome, outcome } from '../../harness/collection.js';
import { newMember } from '../orgs/org.js';
import { bindingPath, newAgent, withUser } from './sharing.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
});

const PARTS = {
  rules: { read: { team: { $in: '${user.groups}' } }, create: true, delete: false },
  fields: { read: { margin: 0 }, write: { title: 1 } },
  limits: { reads_per_minute: 600 },
};

async function shared(role: string, parts: object = {}) {
  const books = await newCollection(app, home);
  const bound = withUser(await newMember(app, home.org));
  const post = (body: object) =>
    app.request('POST', `${books.path}/access`, { ...home.owner, body: { ...bound, ...body } });
  const patch = (body: object) => app.request('PATCH', bindingPath(books, bound), { ...home.owner, body });
  return { books, bound, post, patch, first: await post({ role, ...parts }) };
}

describe('a grant with rules, fields and limits', () => {
  it('is shown as it was sent, where it was granted, alone and in the list', async () => {
    const { books, bound, first } = await shared('editor', PARTS);
    expect([first.status, first.body]).toEqual([
      201,
      expect.objectContaining({ ...bound, role: 'editor', ...PARTS }),
    ]);
    expect((await app.request('GET', bindingPath(books, bound), home.owner)).body).toEqual(first.body);
    const list = await app.request('GET', `${books.path}/access`, home.owner);
    expect(list.body.items[1]).toEqual(first.body);
    for (const part of Object.keys(PARTS)) expect(list.body.items[0]).not.toHaveProperty(part);
  });

  it('keeps the parts that granting again and PATCH do not name; null removes one', async () => {
    const { post, patch } = await shared('editor', PARTS);
    expect((await post({ role: 'reader' })).body).toMatchObject({ role: 'reader', ...PARTS });
    const other = { rules: { read: true } };
    expect((await patch(other)).body).toMatchObject({ role: 'reader', ...PARTS, ...other });
    const removed = (await patch({ fields: null, role: 'editor' })).body;
    expect(removed).toMatchObject({ role: 'editor', ...other, limits: PARTS.limits });
    expect(removed).not.toHaveProperty('fields');
    const none = (await post({ role: 'editor', rules: null, limits: null })).body;
    for (const part of Object.keys(PARTS)) expect(none).not.toHaveProperty(part);
  });

  it('cannot be an admin, unless all three parts are sent as null', async () => {
    const { post, patch } = await shared('editor', PARTS);
    const refused = [400, 'InvalidArguments'];
    expect(outcome(await post({ role: 'admin' }))).toEqual(refused);
    expect(outcome(await patch({ role: 'admin' }))).toEqual(refused);
    expect(outcome(await patch({ role: 'admin', rules: null, fields: null }))).toEqual(refused);
    expect(outcome(await (await shared('reader')).post({ role: 'admin', limits: PARTS.limits }))).toEqual(
      refused,
    );
    const admin = await patch({ role: 'admin', rules: null, fields: null, limits: null });
    expect([admin.status, admin.body.role]).toEqual([200, 'admin']);
    expect(admin.body).not.toHaveProperty('rules');
  });

  it('records the rules before and after', async () => {
    const { books, bound, patch } = await shared('editor', PARTS);
    await patch({ rules: null });
    const { rules, ...others } = PARTS;
    expect((await eventsOf(app, books)).slice(-2)).toMatchObject([
      { type: 'collections.access.granted', changes: { after: { ...bound, role: 'editor', ...PARTS } } },
      {
        type: 'collections.access.updated',
        changes: { before: { ...bound, rules }, after: { ...bound, ...others } },
      },
    ]);
    const [last] = (await eventsOf(app, books)).slice(-1);
    expect(last?.changes?.after).not.toHaveProperty('rules');
  });

  it.each([
    [{ rules: {} }, 'rules'],
    [{ rules: { update: true } }, 'rules: name read'],
    [{ rules: { read: {} } }, 'rules.read'],
    [{ rules: { read: null } }, 'rules.read'],
    [{ rules: { read: true, write: true } }, 'rules: unknown name "write"'],
    [{ rules: { read: { a: '${user.name}' } } }, 'rules.read'],
    [{ rules: { read: { a: 'for ${user.id}' } } }, 'rules.read'],
    [{ rules: { read: { a: '${user.groups}' } } }, 'rules.read'],
    [{ rules: { read: true, update: { a: { $regex: '${user.id}' } } } }, 'rules.update'],
    [{ rules: { read: true, becomes: { $where: 'x' } } }, 'rules.becomes'],
    [{ rules: { read: { $or: Array.from({ length: 101 }, (_, a) => ({ a })) } } }, 'at most 100 conditions'],
    [{ rules: [] }, 'rules'],
    [{ rules: 'read' }, 'rules'],
    [{ fields: {} }, 'fields'],
    [{ fields: { read: {} } }, 'fields.read'],
    [{ fields: { read: { a: 1, b: 0 } } }, 'fields.read'],
    [{ fields: { read: { 'a.b': 1 } } }, 'top-level'],
    [{ fields: { read: { a: true } } }, 'must be 1 or 0'],
    [{ fields: { read: ['a'] } }, 'fields.read'],
    [{ fields: { show: { a: 1 } } }, 'fields: unknown name'],
    [{ limits: {} }, 'limits'],
    [{ limits: { reads_per_minute: 0 } }, 'limits.reads_per_minute'],
    [{ limits: { reads_per_minute: 1.5 } }, 'limits.reads_per_minute'],
    [{ limits: { reads_per_hour: 5 } }, 'limits: unknown name'],
  ])('refuses %j', async (parts, place) => {
    const { books, bound, first } = await shared('editor', parts);
    expect(outcome(first)).toEqual([400, 'InvalidArguments']);
    expect(first.body.message).toContain(place);
    expect((await app.request('GET', bindingPath(books, bound), home.owner)).status).toBe(404);
  });
});

describe('a grant to an agent', () => {
  it('is one of agent_ids, with any role and rules', async () => {
    const books = await newCollection(app, home);
    const [agent, other] = [await newAgent(app, home.org), await newAgent(app, home.org)];
    const bound = { principal_type: 'agent', principal_id: agent.id } as const;
    const body = { ...bound, role: 'reader', rules: { read: { a: 1 } } };
    expect((await app.request('POST', `${books.path}/access`, { ...home.owner, body })).status).toBe(201);
    const shown = await app.request('GET', books.path, home.owner);
    expect(shown.body.agent_ids).toEqual([agent.id]);
    const both = { agent_ids: [other.id, agent.id] };
    const patched = await app.request('PATCH', books.path, { ...home.owner, body: both });
    expect(patched.body.agent_ids).toEqual([agent.id, other.id]);
    const again = await app.request('PATCH', books.path, {
      ...home.owner,
      body: { description: 'x' },
      headers: { 'if-match': patched.headers.get('etag') as string },
    });
    expect(again.status).toBe(200);
    const list = (await app.request('GET', `${books.path}/access`, home.owner)).body.items;
    expect(list.slice(1)).toMatchObject([
      { principal_id: agent.id, role: 'reader', rules: { read: { a: 1 } } },
      { principal_id: other.id, role: 'editor' },
    ]);
    const removed = await app.request('PATCH', books.path, { ...home.owner, body: { agent_ids: [] } });
    expect(removed.body.agent_ids).toEqual([]);
    expect((await app.request('GET', `${books.path}/access`, home.owner)).body.total).toBe(1);
  });

  it('reaches the agent, and ends when the agent is deleted', async () => {
    const books = await newCollection(app, home);
    const agent = await newAgent(app, home.org);
    const body = { principal_type: 'agent', principal_id: agent.id, role: 'reader' };
    await app.request('POST', `${books.path}/access`, { ...home.owner, body });
    const count = () => app.request('GET', `${books.data}/count`, { key: agent.key });
    expect((await count()).status).toBe(200);
    expect((await app.request('POST', books.data, { key: agent.key, body: { records: {} } })).status).toBe(
      403,
    );
    const listed = await app.request('GET', '/v1/collections?scope=shared', { key: agent.key });
    expect(listed.body.items).toMatchObject([{ collection_id: books.id, my_role: 'reader' }]);
    await app.request('DELETE', `${home.org.path}/agents/${agent.id}`, home.owner);
    expect((await app.request('GET', books.path, home.owner)).body.agent_ids).toEqual([]);
    expect((await app.request('GET', `${books.path}/access`, home.owner)).body.total).toBe(1);
  });
});

describe('a grant to anonymous people and to people who signed up', () => {
  it.each(['anonymous', 'signup'] as const)('%s needs rules, and is reader or editor', async type => {
    const books = await newCollection(app, home);
    const bound = { principal_type: type, principal_id: home.org.slug };
    const post = (body: object) =>
      app.request('POST', `${books.path}/access`, { ...home.owner, body: { ...bound, ...body } });
    const rules = { read: true };
    expect(outcome(await post({ role: 'reader' }))).toEqual([400, 'InvalidArguments']);
    expect(outcome(await post({ role: 'admin', rules }))).toEqual([400, 'InvalidArguments']);
    expect(outcome(await post({ role: 'reader', rules, principal_id: 'another' }))).toEqual([
      400,
      'InvalidArguments',
    ]);
    const granted = await post({ role: 'editor', rules });
    expect([granted.status, granted.body]).toEqual([201, expect.objectContaining({ ...bound, rules })]);
    const path = `${books.path}/access/${type}/${home.org.slug}`;
    expect((await app.request('PATCH', path, { ...home.owner, body: { rules: null } })).status).toBe(400);
    expect((await app.request('DELETE', path, home.owner)).status).toBe(200);
  });
});
