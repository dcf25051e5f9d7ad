import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Caller, type Home, newCollection, newHome } from '../../harness/collection.js';
import { newKey, newMember } from '../orgs/org.js';
import { grant, newAgent, newGroup, withGroup, withOrg, withUser } from './sharing.js';

describe('GET /v1/collections?scope=', () => {
  let app: TestApp;
  let home: Home;
  let member: Caller & { userId: string };
  let agent: { id: string; key: string };
  /** Collections, named by how the caller can reach them, in the order in which they were created. */
  const made: Record<string, string> = {};
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    member = await newMember(app, home.org);
    agent = await newAgent(app, home.org);
    const group = withGroup(home.org, await newGroup(app, home.org, await newMember(app, home.org)));
    const own = await newGroup(app, home.org);
    const users = [{ userId: member.userId }];
    await app.request('POST', `${home.org.path}/groups/${own}/members`, { ...home.owner, body: { users } });
    const add = async (name: string, wanted: object = {}, by: Caller = home.owner) => {
      const collection = await newCollection(app, { org: home.org, owner: { ...by } }, wanted);
      made[name] = collection.id;
      return { ...collection, owner: home.owner };
    };
    await add('ofMember', {}, { token: member.token as string });
    await grant(app, await add('withUser'), withUser(member), 'reader');
    await grant(app, await add('withGroup'), withGroup(home.org, own), 'editor');
    await grant(app, await add('withOtherGroup'), group, 'reader');
    await grant(app, await add('withOrg'), withOrg(home.org), 'reader');
    const several = await add('inManyWays');
    for (const bound of [withUser(member), withGroup(home.org, own), withOrg(home.org)]) {
      await grant(app, several, bound, 'reader');
    }
    await add('withNobody');
    await add('withAgent', { agent_ids: [agent.id] });
    await add('ofAgent', {}, { key: agent.key });
    const shared = await newCollection(app, { org: home.org, owner: { token: member.token as string } });
    made.ofMemberAndOrg = shared.id;
    await grant(app, shared, withOrg(home.org), 'reader');
  });

  const list = async (scope: string, caller: Caller, more = '') => {
    const { body } = await app.request('GET', `/v1/collections?scope=${scope}${more}`, caller);
    const names = body.items.map((item: { collection_id: string }) =>
      Object.keys(made).find(name => made[name] === item.collection_id),
    );
    return { names, total: body.total };
  };

  const everything = () => Object.keys(made);
  const tables: [string, () => Caller, string, () => string[]][] = [
    ['a member', () => ({ token: member.token as string }), 'owned', () => ['ofMember', 'ofMemberAndOrg']],
    [
      'a member',
      () => ({ token: member.token as string }),
      'shared',
      () => ['withUser', 'withGroup', 'withOrg', 'inManyWays'],
    ],
    [
      'a member',
      () => ({ token: member.token as string }),
      'all',
      () => ['ofMember', 'withUser', 'withGroup', 'withOrg', 'inManyWays', 'ofMemberAndOrg'],
    ],
    ['an agent', () => ({ key: agent.key }), 'owned', () => ['ofAgent']],
    [
      'an agent',
      () => ({ key: agent.key }),
      'shared',
      () => ['withOrg', 'inManyWays', 'withAgent', 'ofMemberAndOrg'],
    ],
    [
      'an agent',
      () => ({ key: agent.key }),
      'all',
      () => ['withOrg', 'inManyWays', 'withAgent', 'ofAgent', 'ofMemberAndOrg'],
    ],
    [
      'the owner of the organization',
      () => home.owner,
      'shared',
      () => ['ofMember', 'ofAgent', 'ofMemberAndOrg'],
    ],
    ['the owner of the organization', () => home.owner, 'all', everything],
  ];
  it.each(tables)('%s, %s%s', async (_, caller, scope, expected) => {
    expect(await list(scope, caller())).toEqual({ names: expected(), total: expected().length });
  });

  it('lists for a key of a user what the user sees', async () => {
    const owned = { ownerType: 'user', ownerId: member.userId, permissions: ['collections:read'] };
    const { apiKey } = await newKey(app, home.org, owned);
    expect(await list('all', { key: apiKey })).toEqual(await list('all', { token: member.token as string }));
    const scoped = await newKey(app, home.org, { ...owned, scopes: [`collections:${made.withUser}`] });
    expect(await list('all', { key: scoped.apiKey })).toEqual({ names: ['withUser'], total: 1 });
    expect(await list('owned', { key: scoped.apiKey })).toEqual({ names: [], total: 0 });
  });

  it('reports the same total on every page, and after the last one', async () => {
    const caller = { token: member.token as string };
    const all = await list('shared', caller);
    const pages = await Promise.all(
      [1, 2, 3, 9].map(page => list('shared', caller, `&limit=2&page=${page}`)),
    );
    expect(pages.map(({ total }) => total)).toEqual([4, 4, 4, 4]);
    expect(pages.flatMap(({ names }) => names)).toEqual(all.names);
  });

  it('shows nothing of other organizations, and only collections that the caller can read', async () => {
    const caller = { token: member.token as string };
    const { body } = await app.request('GET', '/v1/collections?scope=all', caller);
    for (const { collection_id } of body.items) {
      expect((await app.request('GET', `/v1/collections/${collection_id}`, caller)).status).toBe(200);
    }
    expect(await list('all', (await newHome(app)).owner)).toEqual({ names: [], total: 0 });
  });
});
