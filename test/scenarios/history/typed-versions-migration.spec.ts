import { expect, it } from 'vitest';
import { migrate, migrateDown } from '../../../src/platform/database/migrate.js';
import { startOwnApp } from '../../harness/app.js';
import { insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { query, succeed } from '../../harness/collection-requests.js';
import { schemaOf, tableOf } from '../../harness/tables.js';
import { setFields, undone } from './undo.js';

const MIGRATION = 'TypeRecordVersions1795000031000';

const EVERY_TYPE = {
  text: 'it\'s "7 \\ 8"',
  integer: 9_007_199_254_740_991,
  double: 0.1,
  boolean: false,
  date: '2024-02-29',
  datetime: '2024-02-29T23:59:59.999Z',
  json: { deep: [1, null, { "it's": true }] },
  array: ['a', 'b'],
};

it('keeps versions, their events and undos, down to JSON texts of the organization and up again', async () => {
  const app = await startOwnApp({ database: 'own' });
  const url = app.settings.DATABASE_URL as string;
  const home = await newHome(app);
  const properties = Object.fromEntries(Object.keys(EVERY_TYPE).map(type => [type, { type }]));
  const things = await newCollection(app, home, {
    properties: { ...properties, n: { type: 'integer' } },
  });
  const plain = await newCollection(app, home, {});
  const [id] = (await insert(app, things, { ...EVERY_TYPE, n: 1, "it's": 'flexible' })) as [string];
  const [deletedId] = (await insert(app, things, { n: 1 })) as [string];
  const ids = [id, deletedId] as const;
  const [plainId] = (await insert(app, plain, { n: 1 })) as [string];
  await setFields(app, plain, plainId, { n: 2 });
  const changed = await setFields(app, things, ids[0], { ...EVERY_TYPE, text: 'other', n: 2 });
  await succeed(app, things, 'DELETE', `/data/${ids[1]}`);
  await succeed(app, things, 'PATCH', '/schema', { properties: { n: { type: 'double' } } });
  await setFields(app, things, ids[0], { n: 2.5 });
  const later = await setFields(app, things, ids[0], { n: 4.5 });
  await undone(app, things, { event_ids: [later] });
  const historyOf = async (collection: TestCollection, id: string) =>
    (await succeed(app, collection, 'GET', `/data/${id}/history`)).items;
  const allItems = async () => [
    ...(await historyOf(things, ids[0])),
    ...(await historyOf(things, ids[1])),
    ...(await historyOf(plain, plainId)),
  ];
  const before = await allItems();
  expect(before.map(({ record }) => record?.n)).toEqual([2.5, 4.5, 2.5, 2, 1, undefined, 1, 2, 1]);

  while ((await migrateDown(url)) !== MIGRATION);
  const texts: { version: number; record: string }[] = await app.sql(
    `SELECT version, record FROM ${schemaOf(things.orgId)}.record_versions
     WHERE collection_id = $1 AND record_id = $2 ORDER BY version DESC`,
    [things.id, ids[0]],
  );
  expect(texts.map(({ record }) => JSON.parse(record))).toEqual(
    before.slice(1, 5).map(({ record }) => record),
  );
  // An instance of the earlier version writes.
  await app.sql(
    `UPDATE ${tableOf(things.orgId, things.id)} SET c1 = 'from before', updated_at = date_trunc('milliseconds', statement_timestamp()) WHERE _id = $1`,
    [ids[0]],
  );
  await migrate(url);

  const [newest, ...others] = await allItems();
  expect(newest).toMatchObject({ version: 6, record: { text: 'from before', n: 2.5 } });
  expect(others[0]).toEqual({ ...before[0], valid_to: newest.valid_from });
  expect(others.slice(1)).toEqual(before.slice(1));
  const then = (
    await succeed(app, things, 'GET', `/data/${ids[0]}?${query({ as_of: before[3].valid_from })}`)
  ).record;
  expect(then).toEqual(before[3].record);
  await setFields(app, things, ids[0], { integer: 1 });
  expect((await historyOf(things, ids[0])).map(({ version }: { version: number }) => version)).toEqual([
    7, 6, 5, 4, 3, 2, 1,
  ]);
  const forced = { event_ids: [changed], on_conflict: 'force' };
  expect(await undone(app, things, forced)).toMatchObject({ undone: 1 });
  expect((await succeed(app, things, 'GET', `/data/${ids[0]}`)).record).toMatchObject({
    ...EVERY_TYPE,
    n: 1,
  });
  await app.close();
});
