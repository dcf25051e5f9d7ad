import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Caller, type Home, newHome } from '../../harness/collection.js';
import { events, newMember } from '../orgs/org.js';
import { newGroup } from '../sharing/sharing.js';
import { refusalOf, ruledCollection, ruledMember } from './ruled.js';

describe('The explanation of access to a record', () => {
  let app: TestApp;
  let home: Home;
  let orders: Awaited<ReturnType<typeof ruledCollection>>;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    orders = await ruledCollection(app, home);
  });

  const PARTS = {
    rules: {
      read: { $or: [{ team: 'red' }, { _created_by: '${caller.id}' }] },
      create: { status: 'draft', _created_by: '${caller.id}' },
      update: { $and: [{ team: 'red' }, { status: 'draft' }], amount: { $lt: 10 } },
      delete: false,
    },
    fields: { read: { margin: 0, secret: 0 }, write: { name: 1, status: 1, margin: 1 } },
  };
  const explain = (caller: Caller, action: string, name: string, whom?: { userId: string }) => {
    const named = whom === undefined ? '' : `&principal_type=user&principal_id=${whom.userId}`;
    const id = orders.ids[name] ?? name;
    return app.request(
      'GET',
      `${orders.path}/access/explain?action=${action}&record_id=${id}${named}`,
      caller,
    );
  };
  const create = (caller: Caller, record: unknown, whom?: { userId: string }) =>
    app.request('POST', `${orders.path}/access/explain`, {
      ...caller,
      body: { action: 'create', record, ...(whom && { principal_type: 'user', principal_id: whom.userId }) },
    });

  it('tells those who may share the rule of each grant, whether it holds, and which conditions do', async () => {
    const member = await ruledMember(app, home, orders, 'editor', PARTS);
    const of = async (action: string, name: string) => {
      const { status, body } = await explain(orders.owner, action, name, member);
      expect(status).toBe(200);
      return body;
    };
    const read = {
      via: 'user',
      role: 'editor',
      rule: PARTS.rules.read,
      holds: true,
      conditions: [{ condition: { $or: PARTS.rules.read.$or }, holds: true }],
      fields: ['name', 'team', 'status', 'amount', 'due', 'at', 'tags', 'info'],
    };
    expect(await of('read', 'a')).toEqual({ allowed: true, grants: [read] });
    expect(await of('read', 'c')).toMatchObject({ allowed: false, grants: [{ holds: false }] });
    const update = {
      via: 'user',
      role: 'editor',
      rule: PARTS.rules.update,
      holds: false,
      conditions: [
        { condition: { team: 'red' }, holds: true },
        { condition: { status: 'draft' }, holds: false },
        { condition: { amount: { $lt: 10 } }, holds: true },
      ],
      fields: ['name', 'status'],
    };
    expect(await of('update', 'b')).toEqual({ allowed: false, grants: [update] });
    expect(await of('update', 'a')).toMatchObject({ allowed: true, grants: [{ holds: true }] });
    expect(await of('delete', 'a')).toEqual({
      allowed: false,
      grants: [{ via: 'user', role: 'editor', rule: false, holds: false, conditions: [], fields: null }],
    });
  });

  it('tells of an insert for the record as it would be stored, and writes nothing', async () => {
    const member = await ruledMember(app, home, orders, 'editor', PARTS);
    const allowed = async (record: object, whom = member, caller: Caller = orders.owner) => {
      const { status, body } = await create(caller, record, whom);
      return [status, body.allowed];
    };
    expect(await allowed({ name: 'n', status: 'draft' })).toEqual([200, true]);
    expect(await allowed({ name: 'n', status: 'done' })).toEqual([200, false]);
    expect(await allowed({ status: 'draft', team: 'red' })).toEqual([200, false]);
    expect(await allowed({ status: 'draft', _created_by: home.org.owner.userId })).toEqual([200, true]);
    expect((await create(orders.owner, { amount: 'x' }, member)).status).toBe(400);
    const { body } = await create(member, { name: 'n', status: 'draft' });
    expect(body).toEqual({
      allowed: true,
      grants: [{ via: 'user', role: 'editor', fields: ['name', 'status'] }],
    });
    expect((await create(member, { name: 'n' })).body).toEqual({ allowed: false, grants: [] });
    const { body: counted } = await app.request('GET', `${orders.data}/count`, orders.owner);
    expect(counted).toEqual({ count: 5 });
  });

  it('tells a caller about itself which grants allow it, without rules, and 404 for a record that it does not see', async () => {
    const member = await ruledMember(app, home, orders, 'editor', PARTS);
    const own = { via: 'user', role: 'editor' };
    const shown = ['name', 'team', 'status', 'amount', 'due', 'at', 'tags', 'info'];
    expect((await explain(member, 'read', 'a')).body).toEqual({
      allowed: true,
      grants: [{ ...own, fields: shown }],
    });
    expect((await explain(member, 'read', 'a', member)).body.allowed).toBe(true);
    expect((await explain(member, 'update', 'a')).body).toEqual({
      allowed: true,
      grants: [{ ...own, fields: ['name', 'status'] }],
    });
    expect((await explain(member, 'update', 'b')).body).toEqual({ allowed: false, grants: [] });
    expect((await explain(member, 'delete', 'a')).body).toEqual({ allowed: false, grants: [] });
    const absent = await explain(member, 'read', '0197a5c0-0000-7000-8000-000000000000');
    for (const action of ['read', 'update', 'delete']) {
      const unseen = await explain(member, action, 'c');
      expect([unseen.status, unseen.body.error, unseen.body.message]).toEqual([
        404,
        'RecordNotFound',
        absent.body.message,
      ]);
    }
  });

  it('refuses callers who ask about others and may not share, and records it', async () => {
    const [member, other] = [
      await ruledMember(app, home, orders, 'editor', PARTS),
      await ruledMember(app, home, orders, 'reader', PARTS),
    ];
    const before = (await events(app, home.org, 'collections.access.denied')).length;
    expect(refusalOf(await explain(member, 'read', 'a', other)).slice(0, 2)).toEqual([403, 'Forbidden']);
    expect(refusalOf(await create(member, {}, other)).slice(0, 2)).toEqual([403, 'Forbidden']);
    expect((await events(app, home.org, 'collections.access.denied')).length).toBe(before + 2);
    const plain = `${orders.path}/access/explain?principal_type=user&principal_id=${member.userId}`;
    expect((await app.request('GET', plain, member)).status).toBe(403);
    const stranger = await newMember(app, home.org);
    expect((await explain(stranger, 'read', 'a')).status).toBe(404);
  });

  it('counts every grant: a group without rules makes the rules of the person irrelevant', async () => {
    const member = await ruledMember(app, home, orders, 'editor', PARTS);
    const group = await newGroup(app, home.org, member);
    const id = `${home.org.slug}:${group}`;
    const body = { principal_type: 'group', principal_id: id, role: 'reader' };
    await app.request('POST', `${orders.path}/access`, { ...orders.owner, body });
    const { body: found } = await explain(orders.owner, 'read', 'c', member);
    expect(found.allowed).toBe(true);
    expect(found.grants).toContainEqual({
      via: `group:${id}`,
      role: 'reader',
      rule: true,
      holds: true,
      conditions: [],
      fields: null,
    });
    const { body: update } = await explain(orders.owner, 'update', 'c', member);
    expect([update.allowed, update.grants.map(({ via }: { via: string }) => via)]).toEqual([false, ['user']]);
  });

  it('says that a principal without access is not allowed, and owners always are', async () => {
    const stranger = await newMember(app, (await newHome(app)).org);
    const outside = await newMember(app, home.org);
    for (const whom of [stranger, outside])
      expect((await explain(orders.owner, 'read', 'a', whom)).body).toEqual({ allowed: false, grants: [] });
    expect((await explain(orders.owner, 'delete', 'a')).body).toMatchObject({
      allowed: true,
      grants: expect.arrayContaining([
        { via: 'owner', role: 'owner', rule: true, holds: true, conditions: [], fields: null },
      ]),
    });
    expect((await explain(orders.owner, 'read', 'x')).status).toBe(404);
    const missing = await app.request('GET', `${orders.path}/access/explain?action=read`, orders.owner);
    expect(missing.status).toBe(400);
  });
});
