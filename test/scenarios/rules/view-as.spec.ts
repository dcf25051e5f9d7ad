import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Caller, type Home, newHome } from '../../harness/collection.js';
import { events, newMember } from '../orgs/org.js';
import { newAgent } from '../sharing/sharing.js';
import { refusalOf, ruledCollection, ruledMember, seen } from './ruled.js';

describe('view_as', () => {
  let app: TestApp;
  let home: Home;
  let orders: Awaited<ReturnType<typeof ruledCollection>>;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    orders = await ruledCollection(app, home, { settings: { history_days: 1 } });
  });

  const PARTS = {
    rules: { read: { team: 'red' } },
    fields: { read: { margin: 0, secret: 0 } },
  };
  const get = (path: string, caller: Caller = orders.owner) =>
    app.request('GET', `${orders.data}${path}`, caller);
  const post = (path: string, body: object, caller: Caller = orders.owner) =>
    app.request('POST', `${orders.data}/${path}`, { ...caller, body });

  it('answers at every read what the principal itself gets', async () => {
    const member = await ruledMember(app, home, orders, 'reader', PARTS);
    const viewed = `view_as=user:${member.userId}`;
    const view_as = `user:${member.userId}`;
    const steps = [{ type: 'sum', input_field: 'amount', output_field: 'total' }];
    const reads: [string, object?][] = [
      ['?sort={"name":1}'],
      [`/${orders.ids.a}`],
      [`/${orders.ids.c}`],
      ['/count'],
      ['/distinct?field=team'],
      ['/distinct?field=margin'],
      [`/${orders.ids.a}/history`],
      ['/query', { sort: { name: 1 } }],
      ['/query', { filter: { margin: 1 } }],
      ['/count', { filter: { amount: { $gt: 0 } } }],
      ['/distinct', { field: 'team' }],
      ['/aggregate', { steps }],
    ];
    for (const [path, body] of reads) {
      const [own, seenBy] =
        body === undefined
          ? [await get(path, member), await get(`${path}${path.includes('?') ? '&' : '?'}${viewed}`)]
          : [await post(path.slice(1), body, member), await post(path.slice(1), { ...body, view_as })];
      expect([path, seenBy.status, seenBy.body]).toEqual([path, own.status, own.body]);
    }
    const all = await seen(app, orders, orders.owner);
    const [first, ...others] = await seen(app, orders, orders.owner, { view_as });
    expect([all.length, first?.name, others.length]).toEqual([5, 'a', 1]);
    expect(first).not.toHaveProperty('secret');
  });

  it('knows agents, keys, and people who have just signed in anonymously', async () => {
    const names = async (view_as: string) =>
      (await seen(app, orders, orders.owner, { view_as })).map(({ name }) => name);
    const agent = await newAgent(app, home.org);
    const share = (body: object) => app.request('POST', `${orders.path}/access`, { ...orders.owner, body });
    const shared = await share({
      principal_type: 'agent',
      principal_id: agent.id,
      role: 'reader',
      rules: { read: { team: 'blue' } },
    });
    expect(shared.status).toBe(201);
    expect(await names(`agent:${agent.id}`)).toEqual(['c', 'd']);

    const minted = await app.request('POST', `${orders.path}/api-keys`, {
      ...orders.owner,
      body: { slug: 'k', name: 'k', permissions: ['collections:read'], rules: { read: { status: 'draft' } } },
    });
    const key = minted.body.id;
    expect(await names(`key:${key}`)).toEqual(['a', 'c', 'd']);

    const anonymous = () => post('query', { view_as: 'anonymous' });
    expect(refusalOf(await anonymous()).slice(0, 2)).toEqual([404, 'NotFound']);
    await app.request('PATCH', `/v2/orgs/${home.org.slug}`, {
      ...home.owner,
      body: { auth: { anonymous: { enabled: true, role: 'member' } } },
    });
    expect(refusalOf(await anonymous()).slice(0, 2)).toEqual([404, 'CollectionNotFound']);
    const opened = await share({
      principal_type: 'anonymous',
      principal_id: home.org.slug,
      role: 'reader',
      rules: { read: { $or: [{ team: 'green' }, { _created_by: '${caller.id}' }] } },
    });
    expect(opened.status).toBe(201);
    expect(await names('anonymous')).toEqual(['e']);
  });

  it('needs the right to share, and is refused to keys of the collection', async () => {
    const member = await ruledMember(app, home, orders, 'editor', {});
    const refused = await get(`?view_as=user:${home.org.owner.userId}`, member);
    expect(refusalOf(refused).slice(0, 2)).toEqual([403, 'Forbidden']);
    const { body } = await app.request('POST', `${orders.path}/api-keys`, {
      ...orders.owner,
      body: { slug: 'all', name: 'all', permissions: ['collections:read', 'collections:write'] },
    });
    const byKey = await get(`/count?view_as=user:${member.userId}`, {
      key: body.secret,
    });
    expect(byKey.status).toBe(403);
    const denied = await events(app, home.org, 'collections.access.denied');
    expect(denied.length).toBeGreaterThan(0);
  });

  it('refuses principals that the organization does not have, and texts that name none', async () => {
    const stranger = await newMember(app, (await newHome(app)).org);
    for (const name of [`user:${stranger.userId}`, `agent:${randomUUID()}`, `key:${randomUUID()}`])
      expect([name, ...refusalOf(await post('query', { view_as: name })).slice(0, 2)]).toEqual([
        name,
        404,
        'NotFound',
      ]);
    for (const name of ['', 'user:', 'user:1', 'group:x', 'ANONYMOUS'])
      expect([name, (await get(`?view_as=${name}`)).status]).toEqual([name, 400]);
    const outside = await newMember(app, home.org);
    const invisible = await post('query', { view_as: `user:${outside.userId}` });
    expect(refusalOf(invisible).slice(0, 2)).toEqual([404, 'CollectionNotFound']);
  });

  it('is a 400 at other operations, with which the caller would get its own answer', async () => {
    const member = await ruledMember(app, home, orders, 'reader', PARTS);
    const view = `view_as=user:${member.userId}`;
    const paths = ['', '/export?format=csv&', '/changes?', '/access?'];
    for (const path of paths) {
      const joined = `${orders.path}${path.includes('?') ? path : `${path}?`}${view}`;
      const { status } = await app.request('GET', joined, orders.owner);
      expect([path, status]).toEqual([path, 400]);
    }
    const plan = await app.request('POST', `${orders.data}/explain`, {
      ...orders.owner,
      body: { view_as: `user:${member.userId}` },
    });
    expect(plan.status).toBe(400);
    expect((await post('', { records: { name: 'x' }, view_as: `user:${member.userId}` })).status).toBe(400);
  });

  it('is in the audit log with the caller and the principal', async () => {
    const member = await ruledMember(app, home, orders, 'reader', PARTS);
    await get(`/count?view_as=user:${member.userId}`);
    const logged = (await events(app, home.org, 'collections.access.viewed')).filter(({ changes }) =>
      JSON.stringify(changes).includes(member.userId),
    );
    expect(logged).toHaveLength(1);
    expect(logged[0]).toMatchObject({
      actor: { type: 'user', id: home.org.owner.userId },
      target: { type: 'collection', id: orders.id },
      changes: { after: { view_as: `user:${member.userId}` } },
    });
  });
});
