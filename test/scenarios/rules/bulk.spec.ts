import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, newHome } from '../../harness/collection.js';
import type { Person } from '../auth/person.js';
import { refusalOf, ruledCollection, ruledMember } from './ruled.js';

describe('Bulk upserts and imports of a caller whose grant has rules', () => {
  let app: TestApp;
  let home: Home;
  let orders: Awaited<ReturnType<typeof ruledCollection>>;
  let caller: Person;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    orders = await ruledCollection(app, home, { uniques: [{ properties: ['name'] }] });
    caller = await ruledMember(app, home, orders, 'editor', {
      rules: {
        read: { team: { $in: ['red', 'blue'] } },
        create: { status: 'draft', team: 'red' },
        update: { status: 'draft' },
        becomes: { status: { $in: ['draft', 'submitted'] } },
        delete: false,
      },
      fields: { read: { margin: 0 } },
    });
  });

  const bulk = (...records: object[]) =>
    app.request('POST', `${orders.data}/bulk`, { ...caller, body: { records, upsert_key: 'name' } });
  const stored = async (name: string) => {
    const path = `${orders.data}/${orders.ids[name]}`;
    return (await app.request('GET', path, orders.owner)).body.record;
  };
  const count = async () => (await app.request('GET', `${orders.data}/count`, orders.owner)).body.count;
  const draft = (name: string) => ({ name, team: 'red', status: 'draft' });

  it('upserts only what each row may do, and otherwise nothing', async () => {
    const before = await count();
    const refused = await bulk(
      { name: 'a', amount: 9 },
      { name: 'b', amount: 9 },
      { name: 'n1', status: 'open' },
    );
    expect(refusalOf(refused)).toEqual([403, 'RuleRefused', [{ row: 1, action: 'update' }]]);
    const made = await bulk({ name: 'a', status: 'done' }, draft('n1'), { name: 'n2', team: 'blue' });
    expect(refusalOf(made)).toEqual([
      403,
      'RuleRefused',
      [
        { row: 0, action: 'becomes' },
        { row: 2, action: 'create' },
      ],
    ]);
    expect(refusalOf(await bulk({ name: 'a', margin: 9 }))).toEqual([
      403,
      'FieldForbidden',
      { fields: ['margin'] },
    ]);
    expect([await count(), (await stored('a')).amount]).toEqual([before, 1]);
    expect((await bulk({ name: 'a', amount: 9 }, draft('n1'))).status).toBe(201);
    expect([await count(), (await stored('a')).amount]).toEqual([before + 1, 9]);
  });

  it('answers for a key of a record that the caller does not see as for any unique value', async () => {
    const { status, body } = await bulk(draft('fresh'), { ...draft('e'), amount: 5 });
    expect([status, body.error, body.details]).toEqual([
      422,
      'ConstraintViolation',
      [{ row: 1, column: 'name', properties: ['name'] }],
    ]);
    expect(JSON.stringify(body)).not.toContain(orders.ids.e);
    expect((await stored('e')).amount).toBe(16);
  });

  const imported = (query: string, ...records: object[]) =>
    app.request('POST', `${orders.path}/import?${query}`, {
      ...caller,
      raw: records.map(record => JSON.stringify(record)).join('\n'),
      headers: { 'content-type': 'application/x-ndjson' },
    });

  it('imports only rows that the rules allow', async () => {
    const before = await count();
    const all = await imported('mode=append', draft('i1'), { ...draft('i2'), team: 'blue' }, draft('i3'));
    expect(refusalOf(all)).toEqual([403, 'RuleRefused', [{ row: 2, action: 'create' }]]);
    expect(await count()).toBe(before);
    const skipped = await imported(
      'mode=append&on_error=skip',
      draft('i1'),
      { ...draft('i2'), team: 'blue' },
      draft('i3'),
    );
    expect(skipped.status).toBe(200);
    const last = JSON.parse(skipped.text.trim().split('\n').at(-1) as string);
    expect(last).toMatchObject({ ok: true, inserted: 2, skipped: 1, errors: [{ row: 2 }] });
    expect(await count()).toBe(before + 2);
    const upserted = await imported(
      'mode=upsert&upsert_key=name',
      { name: 'a', amount: 10 },
      { name: 'b', amount: 10 },
    );
    expect(refusalOf(upserted)).toEqual([403, 'RuleRefused', [{ row: 2, action: 'update' }]]);
    expect((await stored('a')).amount).toBe(9);
    const unseen = await imported('mode=upsert&upsert_key=name', { name: 'e', amount: 10 });
    expect([unseen.status, unseen.body.error]).toEqual([422, 'ConstraintViolation']);
    const hidden = await imported('mode=append', { ...draft('i9'), margin: 1 });
    expect(refusalOf(hidden)).toEqual([403, 'FieldForbidden', { fields: ['margin'] }]);
    const done = await imported('mode=upsert&upsert_key=name', { name: 'a', amount: 10 }, draft('i4'));
    expect([done.status, (await stored('a')).amount]).toEqual([200, 10]);
  });
});
