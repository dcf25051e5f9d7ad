import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { person } from '../auth/person.js';
import { events, newMember, newOrg, newSlug, type TestOrg } from './org.js';

let app: TestApp;
let org: TestOrg;
let groups: string;
beforeAll(async () => {
  app = await startApp();
  org = await newOrg(app);
  groups = `${org.path}/groups`;
});

const create = (slug = newSlug(), token = org.owner.token) =>
  app.request('POST', groups, { token, body: { slug, name: 'Editors' } });
const add = (slug: string, users: object[], token = org.owner.token) =>
  app.request('POST', `${groups}/${slug}/members`, { token, body: { users } });
const memberIds = async (slug: string) =>
  (await app.request('GET', `${groups}/${slug}/members`, org.owner)).body.results.map(
    ({ userId }: { userId: string }) => userId,
  );
const about = async (slug: string) =>
  (await events(app, org, 'orgs.groups.')).filter(({ target }) => target.id === slug);

describe('the groups of an organization', () => {
  it('are created, read, renamed, listed and deleted, with an event each', async () => {
    const { status, body } = await create();
    expect(status).toBe(201);
    expect(body).toEqual({
      slug: body.slug,
      name: 'Editors',
      memberCount: 0,
      createdAt: expect.stringMatching(/Z$/),
    });
    const path = `${groups}/${body.slug}`;
    expect((await app.request('GET', path, org.owner)).body).toEqual(body);
    const renamed = await app.request('PATCH', path, { ...org.owner, body: { name: 'Chiefs' } });
    expect([renamed.status, renamed.body]).toEqual([200, { ...body, name: 'Chiefs' }]);
    const list = await app.request('GET', `${groups}?limit=100`, org.owner);
    expect(Object.keys(list.body)).toEqual(['results', 'total']);
    expect(list.body.results).toContainEqual(renamed.body);
    expect((await app.request('DELETE', path, org.owner)).body).toEqual({ success: true });
    for (const method of ['GET', 'DELETE']) {
      expect((await app.request(method, path, org.owner)).body.error).toBe('NotFound');
    }
    expect(await about(body.slug)).toMatchObject([
      { type: 'orgs.groups.created', changes: { after: { name: 'Editors' } } },
      { type: 'orgs.groups.updated', changes: { before: { name: 'Editors' }, after: { name: 'Chiefs' } } },
      { type: 'orgs.groups.deleted', changes: { before: { name: 'Chiefs' } } },
    ]);
  });

  it('are listed by slug, page by page', async () => {
    const own = await newOrg(app);
    for (const slug of ['beta', 'alpha', 'gamma']) {
      await app.request('POST', `${own.path}/groups`, { ...own.owner, body: { slug, name: slug } });
    }
    const page = async (query: string) =>
      (await app.request('GET', `${own.path}/groups${query}`, own.owner)).body;
    expect((await page('?limit=2')).results.map(({ slug }: { slug: string }) => slug)).toEqual([
      'alpha',
      'beta',
    ]);
    expect(await page('?limit=2&page=2')).toMatchObject({ results: [{ slug: 'gamma' }], total: 3 });
  });

  it('have slugs that are unique in the organization', async () => {
    const { body } = await create();
    const again = await create(body.slug);
    expect([again.status, again.body.error]).toEqual([409, 'AlreadyExists']);
    const other = await newOrg(app);
    const elsewhere = { ...other.owner, body: { slug: body.slug, name: 'Editors' } };
    expect((await app.request('POST', `${other.path}/groups`, elsewhere)).status).toBe(201);
  });

  it.each([
    { slug: 'A' },
    { slug: 'a:b' },
    { slug: '' },
    { slug: 'x'.repeat(65) },
    { name: '' },
    { members: [] },
  ])('are refused with %j', async change => {
    const body = { slug: newSlug(), name: 'Editors', ...change };
    expect((await app.request('POST', groups, { ...org.owner, body })).body.error).toBe('InvalidArguments');
  });

  it('can be read by members and changed by members with the permission', async () => {
    const { body } = await create();
    const member = await newMember(app, org);
    const manager = await newMember(app, org, { permissions: ['orgs:groups:manage'] });
    const path = `${groups}/${body.slug}`;
    for (const at of [groups, path, `${path}/members`]) {
      expect((await app.request('GET', at, member)).status).toBe(200);
    }
    const writes: [string, string, object?][] = [
      ['POST', groups, { slug: newSlug(), name: 'x' }],
      ['PATCH', path, { name: 'x' }],
      ['POST', `${path}/members`, { users: [{ userId: member.userId }] }],
      ['DELETE', `${path}/members/${member.userId}`],
      ['DELETE', `${path}/members`],
      ['DELETE', path],
    ];
    const statuses = async (token: string) => {
      const found = [];
      for (const [method, at, sent] of writes) {
        found.push((await app.request(method, at, { token, ...(sent && { body: sent }) })).status);
      }
      return found;
    };
    expect(await statuses(member.token)).toEqual([403, 403, 403, 403, 403, 403]);
    expect(await statuses(manager.token)).toEqual([201, 200, 201, 200, 200, 200]);
  });

  it('are hidden from other organizations', async () => {
    const { body } = await create();
    const stranger = await person(app);
    for (const at of [groups, `${groups}/${body.slug}`, '/v2/orgs/no-such-org/groups']) {
      const answer = await app.request('GET', at, stranger);
      expect([answer.status, answer.body.error]).toEqual([403, 'OrganizationMembershipRequired']);
    }
  });
});

describe('the members of a group', () => {
  it('are people of the organization, given by id or e-mail address', async () => {
    const { slug } = (await create()).body;
    const [ada, bob] = [await newMember(app, org), await newMember(app, org)];
    const [{ email }] = await app.sql('SELECT email FROM users WHERE id = $1', [bob.userId]);
    const { status, body } = await add(slug, [{ userId: ada.userId }, { email: email.toUpperCase() }]);
    expect([status, body.total]).toEqual([201, 2]);
    expect(body.results.map(({ userId }: { userId: string }) => userId)).toEqual([ada.userId, bob.userId]);
    expect(body.results[1]).toEqual({ userId: bob.userId, email, firstName: null, lastName: null });
    expect(await memberIds(slug)).toEqual([ada.userId, bob.userId]);
    expect((await app.request('GET', `${groups}/${slug}`, org.owner)).body.memberCount).toBe(2);
    const me = await app.request('GET', '/v2/me', ada);
    expect(me.body.org.groups).toEqual([slug]);
  });

  it('join once, however often they are added', async () => {
    const { slug } = (await create()).body;
    const ada = await newMember(app, org);
    await add(slug, [{ userId: ada.userId }]);
    expect((await add(slug, [{ userId: ada.userId }, { userId: ada.userId }])).status).toBe(201);
    expect(await memberIds(slug)).toEqual([ada.userId]);
    expect((await about(slug)).map(({ type }) => type)).toEqual([
      'orgs.groups.created',
      'orgs.groups.members.added',
    ]);
  });

  it('are added all together or not at all', async () => {
    const { slug } = (await create()).body;
    const ada = { userId: (await newMember(app, org)).userId };
    const outsiders = [
      { userId: (await person(app)).userId },
      { userId: randomUUID() },
      { email: 'nobody@nowhere.example' },
      {},
      { ...ada, email: 'a@b.example' },
    ];
    for (const outsider of outsiders) {
      expect((await add(slug, [ada, outsider])).body.error).toBe('InvalidArguments');
    }
    expect((await add(slug, [])).status).toBe(400);
    expect((await add('no-such-group', [ada])).status).toBe(404);
    expect(await memberIds(slug)).toEqual([]);
    expect((await about(slug)).map(({ type }) => type)).toEqual(['orgs.groups.created']);
  });

  it('are removed one by one or all at once, with an event', async () => {
    const { slug } = (await create()).body;
    const people = [await newMember(app, org), await newMember(app, org), await newMember(app, org)];
    const [one, ...others] = people.map(({ userId }) => userId);
    await add(
      slug,
      people.map(({ userId }) => ({ userId })),
    );
    const path = `${groups}/${slug}/members`;
    expect((await app.request('DELETE', `${path}/${one}`, org.owner)).body).toEqual({ success: true });
    expect(await memberIds(slug)).toEqual(others);
    for (const id of [one, randomUUID(), 'ada']) {
      expect((await app.request('DELETE', `${path}/${id}`, org.owner)).status).toBe(404);
    }
    expect((await app.request('DELETE', path, org.owner)).body).toEqual({ success: true });
    expect(await memberIds(slug)).toEqual([]);
    expect((await about(slug)).slice(1)).toMatchObject([
      { type: 'orgs.groups.members.added', changes: { after: { userIds: [one, ...others] } } },
      { type: 'orgs.groups.members.removed', changes: { before: { userIds: [one] } } },
      { type: 'orgs.groups.members.removed', changes: { before: { userIds: others } } },
    ]);
  });

  it('are removed when they leave the organization', async () => {
    const { slug } = (await create()).body;
    const ada = await newMember(app, org);
    await add(slug, [{ userId: ada.userId }]);
    await app.request('DELETE', `${org.path}/members/${ada.userId}`, org.owner);
    expect(await memberIds(slug)).toEqual([]);
  });
});
