import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, newHome } from '../../harness/collection.js';
import type { Person } from '../auth/person.js';
import { refusalOf, ruledCollection, ruledMember } from './ruled.js';

describe('A caller whose grant has rules for writing', () => {
  let app: TestApp;
  let home: Home;
  let orders: Awaited<ReturnType<typeof ruledCollection>>;
  let caller: Person;
  beforeAll(async () => {
    app = await startOwnApp({ environment: { ALLOW_BULK_DELETE: 'true' } });
    home = await newHome(app);
    orders = await ruledCollection(app, home);
    caller = await ruledMember(app, home, orders, 'editor', {
      rules: {
        read: { team: { $in: ['red', 'blue'] } },
        create: { status: 'draft', team: 'red' },
        update: { status: 'draft' },
        becomes: { status: { $in: ['draft', 'submitted'] }, team: { $ne: 'green' } },
        delete: { amount: { $gte: 8 } },
      },
      fields: { read: { margin: 0 }, write: { info: 0 } },
    });
  });

  const send = (method: string, below: string, body?: unknown) =>
    app.request(method, `${orders.data}${below}`, { ...caller, ...(body !== undefined && { body }) });
  const stored = async (name: string) => {
    const path = `${orders.data}/${orders.ids[name]}`;
    return (await app.request('GET', path, orders.owner)).body.record;
  };
  const count = async () => (await app.request('GET', `${orders.data}/count`, orders.owner)).body.count;
  const refused = (action: string) => [403, 'RuleRefused', { action }];

  it('inserts only records that the create rule allows, as they are stored, and otherwise nothing', async () => {
    const before = await count();
    const draft = { name: 'x', team: 'red', status: 'draft' };
    expect(refusalOf(await send('POST', '', { records: { ...draft, status: 'open' } }))).toEqual([
      403,
      'RuleRefused',
      [{ row: 0, action: 'create' }],
    ]);
    const two = await send('POST', '', { records: [draft, { ...draft, team: 'blue' }, draft] });
    expect(refusalOf(two)).toEqual([403, 'RuleRefused', [{ row: 1, action: 'create' }]]);
    const bulk = await send('POST', '/bulk', { records: [{ ...draft, team: 'blue' }, draft, {}] });
    expect(refusalOf(bulk)).toEqual([
      403,
      'RuleRefused',
      [
        { row: 0, action: 'create' },
        { row: 2, action: 'create' },
      ],
    ]);
    expect(await count()).toBe(before);
    expect((await send('POST', '', { records: draft })).status).toBe(200);
    expect((await send('POST', '/bulk', { records: [draft, draft] })).status).toBe(201);
    expect(await count()).toBe(before + 3);
  });

  it('refuses a record that is inserted together with others, and only this one', async () => {
    const inserts = Array.from({ length: 60 }, (_, n) =>
      send('POST', '', {
        records: { name: 'together', team: n % 3 === 0 ? 'blue' : 'red', status: 'draft' },
      }),
    );
    const statuses = (await Promise.all(inserts)).map(({ status }) => status);
    expect(statuses).toEqual(statuses.map((_, n) => (n % 3 === 0 ? 403 : 200)));
    const { body } = await app.request('POST', `${orders.data}/distinct`, {
      ...orders.owner,
      body: { field: 'team', filter: { name: 'together' } },
    });
    expect(body.values).toEqual(['red']);
  });

  it('judges each record by the grants that allow its fields', async () => {
    const member = await ruledMember(app, home, orders, 'editor', {
      rules: { read: true, create: { status: 'draft' } },
      fields: { write: { name: 1, status: 1 } },
    });
    await app.request('POST', `${orders.path}/access`, {
      ...orders.owner,
      body: {
        principal_type: 'org',
        principal_id: home.org.slug,
        role: 'editor',
        rules: { read: true, create: { amount: { $gt: 0 } } },
        fields: { write: { name: 1, amount: 1 } },
      },
    });
    const insert = (...records: object[]) =>
      app.request('POST', orders.data, { ...member, body: { records } });
    const [one, other] = [
      { name: 'p', status: 'draft' },
      { name: 'q', amount: 1 },
    ];
    expect((await insert(one, other)).body).toMatchObject({ inserted_count: 2 });
    const refused = await insert(other, { name: 'r', amount: 0 }, one, { name: 's', status: 'open' });
    expect(refusalOf(refused)).toEqual([
      403,
      'RuleRefused',
      [
        { row: 1, action: 'create' },
        { row: 3, action: 'create' },
      ],
    ]);
    const both = await insert({ name: 't', status: 'draft', amount: 1 });
    expect(refusalOf(both)).toEqual([403, 'RuleRefused', [{ row: 0, action: 'create' }]]);
    await app.request('DELETE', `${orders.path}/access/org/${home.org.slug}`, orders.owner);
  });

  it('writes only fields that the grant allows', async () => {
    const forbidden = (...fields: string[]) => [403, 'FieldForbidden', { fields }];
    const draft = { name: 'x', team: 'red', status: 'draft' };
    expect(refusalOf(await send('POST', '', { records: { ...draft, margin: 1 } }))).toEqual(
      forbidden('margin'),
    );
    expect(refusalOf(await send('POST', '', { records: { ...draft, info: 1 } }))).toEqual(forbidden('info'));
    const below = `/${orders.ids.a}`;
    for (const update of [
      { $set: { margin: 1 } },
      { $set: { 'margin.x': 1 } },
      { $unset: { margin: 1 } },
      { $max: { margin: 100 } },
      { $rename: { margin: 'name2' } },
      { $rename: { name2: 'margin' } },
    ])
      expect([update, refusalOf(await send('PATCH', below, update))]).toEqual([update, forbidden('margin')]);
    const many = { filter: { name: 'a' }, update: { $set: { info: null } } };
    expect(refusalOf(await send('PATCH', '', many))).toEqual(forbidden('info'));
    expect(await stored('a')).toMatchObject({ margin: 0.1, info: { k: 1 } });
  });

  it('updates by id what the update rule allows before and the rule of becomes after', async () => {
    const set = (name: string, fields: object) => send('PATCH', `/${orders.ids[name]}`, { $set: fields });
    expect(refusalOf(await set('e', { amount: 1 }))).toEqual([404, 'RecordNotFound', undefined]);
    expect(refusalOf(await set('b', { amount: 1 }))).toEqual(refused('update'));
    expect(refusalOf(await set('a', { status: 'done' }))).toEqual(refused('becomes'));
    expect(refusalOf(await set('a', { team: 'green' }))).toEqual(refused('becomes'));
    // The operators that are applied to documents outside of SQL keep the rules too.
    const push = (name: string, update: object) => send('PATCH', `/${orders.ids[name]}`, update);
    expect(refusalOf(await push('b', { $push: { tags: 'z' } }))).toEqual(refused('update'));
    expect(refusalOf(await push('a', { $push: { tags: 'z' }, $set: { status: 'done' } }))).toEqual(
      refused('becomes'),
    );
    expect(await stored('a')).toMatchObject({ status: 'draft', team: 'red', amount: 1, tags: ['x', 'y'] });
    expect((await push('a', { $push: { tags: 'z' } })).status).toBe(200);
    expect((await set('a', { amount: 3 })).body).toMatchObject({ updated_count: 1 });
    expect(await stored('a')).toMatchObject({ amount: 3, tags: ['x', 'y', 'z'], margin: 0.1, secret: 's1' });
  });

  it('updates by filter only records that may be changed, and nothing if a result is not allowed', async () => {
    const many = (filter: object, fields: object, more: object = {}) =>
      send('PATCH', '', { filter, update: { $set: fields }, ...more });
    const dry = await many({}, { note: 'n' }, { dry_run: true, allow_match_all: true });
    expect([dry.status, dry.body]).toEqual([200, expect.objectContaining({ dry_run: true })]);
    const own = await many({ name: { $in: ['b', 'c', 'd', 'e'] } }, { note: 'changed' });
    expect(own.body).toMatchObject({ matched_count: 2, updated_count: 2 });
    expect([await stored('b'), await stored('e')]).toEqual([
      expect.not.objectContaining({ note: 'changed' }),
      expect.not.objectContaining({ note: 'changed' }),
    ]);
    const wrong = await many({ name: { $in: ['c', 'd'] } }, { status: 'done' });
    expect(refusalOf(wrong)).toEqual([
      403,
      'RuleRefused',
      expect.arrayContaining([
        { record_id: orders.ids.c, action: 'becomes' },
        { record_id: orders.ids.d, action: 'becomes' },
      ]),
    ]);
    expect((await stored('c')).status).toBe('draft');
    expect(refusalOf(await many({ margin: { $gt: 0 } }, { note: 'x' }))).toEqual([
      403,
      'FieldForbidden',
      { fields: ['margin'] },
    ]);
  });

  it('upserts among the records that it sees: a match that it may not update is refused, and never inserted', async () => {
    const before = await count();
    const upsert = (data: object) =>
      send('POST', '/upsert', { match_fields: ['name'], data: { $set: data } });
    expect(refusalOf(await upsert({ name: 'b', amount: 5 }))).toEqual(refused('update'));
    expect(refusalOf(await upsert({ name: 'new', status: 'open' }))).toEqual(refused('create'));
    expect(refusalOf(await upsert({ name: 'c', status: 'done' }))).toEqual(refused('becomes'));
    expect(await count()).toBe(before);
    expect((await upsert({ name: 'c', amount: 5 })).body.result).toMatchObject({
      inserted: false,
      matched_count: 1,
    });
    const hidden = await upsert({ name: 'e', team: 'red', status: 'draft' });
    expect(hidden.body.result).toMatchObject({ inserted: true });
    expect(await stored('e')).toMatchObject({ team: 'green' });
  });

  it('deletes what the delete rule allows', async () => {
    expect(refusalOf(await send('DELETE', `/${orders.ids.e}`))).toEqual([404, 'RecordNotFound', undefined]);
    expect(refusalOf(await send('DELETE', `/${orders.ids.a}`))).toEqual(refused('delete'));
    const dry = await send('POST', '/delete', { filter: { name: { $exists: true } }, dry_run: true });
    expect(dry.body).toMatchObject({ deleted_count: 1, dry_run: true });
    expect((await send('DELETE', `/${orders.ids.d}`)).body).toMatchObject({ deleted_count: 1 });
    expect([(await stored('a')).name, (await stored('e')).name]).toEqual(['a', 'e']);
  });
});

describe('A batch of a caller whose grant has rules for writing', () => {
  let app: TestApp;
  let home: Home;
  let orders: Awaited<ReturnType<typeof ruledCollection>>;
  let caller: Person;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    orders = await ruledCollection(app, home);
    caller = await ruledMember(app, home, orders, 'editor', {
      rules: {
        read: { team: { $in: ['red', 'blue'] } },
        create: { status: 'draft' },
        update: { status: 'draft' },
        becomes: { status: { $in: ['draft', 'submitted'] } },
        delete: { amount: { $gte: 8 } },
      },
      fields: { read: { margin: 0 } },
    });
  });

  const batch = (...operations: object[]) =>
    app.request('POST', `${orders.data}/batch`, { ...caller, body: { operations } });
  const update = (name: string, fields: object) => ({
    update: { _id: orders.ids[name], update: { $set: fields } },
  });
  const draft = { insert: { name: 'n', team: 'red', status: 'draft' } };

  it('refuses all operations if one is not allowed, and tells which', async () => {
    const { body: before } = await app.request('GET', `${orders.data}/count`, orders.owner);
    const refused = await batch(draft, update('b', { amount: 1 }), { delete: { _id: orders.ids.a } });
    expect(refusalOf(refused)).toEqual([
      403,
      'RuleRefused',
      [
        { index: 1, action: 'update' },
        { index: 2, action: 'delete' },
      ],
    ]);
    const made = await batch(draft, update('a', { status: 'done' }), { insert: { status: 'open' } });
    expect(refusalOf(made)).toEqual([
      403,
      'RuleRefused',
      [
        { index: 1, action: 'becomes' },
        { index: 2, action: 'create' },
      ],
    ]);
    expect(refusalOf(await batch(draft, update('a', { margin: 1 })))).toEqual([
      403,
      'FieldForbidden',
      { fields: ['margin'] },
    ]);
    const { body: after } = await app.request('GET', `${orders.data}/count`, orders.owner);
    expect(after).toEqual(before);
  });

  it('does not see a record that the read rule hides: it is gone', async () => {
    expect(refusalOf(await batch(draft, update('e', { amount: 1 })))).toEqual([
      409,
      'BatchConflict',
      [{ index: 1, _id: orders.ids.e, reason: 'gone' }],
    ]);
  });

  it('writes what is allowed', async () => {
    const { status, body } = await batch(draft, update('a', { status: 'submitted' }), {
      delete: { _id: orders.ids.d },
    });
    expect([status, body.results.map(({ operation }: { operation: string }) => operation)]).toEqual([
      200,
      ['inserted', 'updated', 'deleted'],
    ]);
  });
});
