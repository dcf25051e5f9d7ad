import { expect, it } from 'vitest';
import { migrate, migrateDown } from '../../../src/platform/database/migrate.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { query, succeed } from '../../harness/collection-requests.js';
import { schemaOf } from '../../harness/tables.js';
import { ask, now } from '../changes/feed.js';
import { newestEvent, setFields, undone } from '../history/undo.js';

const MIGRATION = 'StoreAuthors1795000043000';

async function authors(app: TestApp, collection: TestCollection, id: string): Promise<unknown[]> {
  const { record } = await succeed(app, collection, 'GET', `/data/${id}?with_authors=true`);
  return [record._created_by, record._updated_by];
}

/** The sources of the functions of triggers of a collection. */
async function functionsOf(app: TestApp, { id, orgId }: TestCollection): Promise<string[]> {
  const rows: { prosrc: string }[] = await app.sql(
    `SELECT prosrc FROM pg_proc WHERE pronamespace = '${schemaOf(orgId)}'::regnamespace AND proname LIKE $1 ORDER BY proname`,
    [`%${id.replaceAll('-', '')}`],
  );
  return rows.map(({ prosrc }) => prosrc);
}

it('is null for records and versions from before the migration; triggers and the trash get it, and earlier instances go on', async () => {
  const app = await startOwnApp({ database: 'own' });
  const url = app.settings.DATABASE_URL as string;
  const home = await newHome(app);
  const { userId } = home.org.owner;
  const wanted = {
    properties: { n: { type: 'integer' }, key: { type: 'text' } },
    settings: { history_days: 30 },
  };
  const things = await newCollection(app, home, wanted);
  const plain = await newCollection(app, home, { settings: { history_days: 0 } });
  const trashed = await newCollection(app, home, wanted);
  const since = await now(app, things);
  const [id] = (await insert(app, things, { n: 1 })) as [string];
  const [plainId] = (await insert(app, plain, { n: 1 })) as [string];
  const [trashedId] = (await insert(app, trashed, { n: 1 })) as [string];
  await setFields(app, things, id, { n: 2 });
  await succeed(app, trashed, 'DELETE', '');
  const before = await functionsOf(app, things);
  expect(before.join()).toContain('created_by');

  while ((await migrateDown(url)) !== MIGRATION);
  const earlier = await functionsOf(app, things);
  expect(earlier).toHaveLength(before.length);
  expect(earlier.join()).not.toContain('created_by');
  // An instance of the earlier version writes.
  await app.sql(
    `UPDATE ${things.table} SET c1 = 3, version = version + 1, updated_at = now() WHERE _id = $1`,
    [id],
  );
  await migrate(url);
  // A later migration has its part of the function from the next read of the feed on.
  expect((await ask(app, things, { since })).status).toBe(200);
  expect(await functionsOf(app, things)).toEqual(before);

  expect(await authors(app, things, id)).toEqual([null, null]);
  expect(await authors(app, plain, plainId)).toEqual([null, null]);
  await setFields(app, things, id, { n: 4 });
  expect(await authors(app, things, id)).toEqual([null, userId]);
  const [added] = (await insert(app, things, { n: 5 })) as [string];
  const inserted = (await succeed(app, things, 'GET', `/data/${added}`)).record;
  await succeed(app, things, 'DELETE', `/data/${added}`);
  await undone(app, things, { event_ids: [await newestEvent(app, things)] });
  expect(await authors(app, things, added)).toEqual([userId, userId]);
  const past = query({ as_of: inserted.updated_at, filter: { _created_by: userId }, with_authors: true });
  const { records } = await succeed(app, things, 'GET', `/data?${past}`);
  expect(records).toEqual([{ ...inserted, _created_by: userId, _updated_by: userId }]);
  const { body } = await ask(app, things, { since, filter: { _created_by: userId } });
  expect(body.changes.map(({ type }: { type: string }) => type)).toEqual(['inserted', 'deleted', 'inserted']);
  const restored = await app.request('POST', `/v1/trash/collections/${trashed.id}/restore`, home.owner);
  expect(restored.status).toBe(200);
  expect(await authors(app, trashed, trashedId)).toEqual([null, null]);
  await setFields(app, trashed, trashedId, { n: 2 });
  expect(await authors(app, trashed, trashedId)).toEqual([null, userId]);
  await app.close();
});

it('reaches collections that an instance of an earlier version creates or changes beside this one', async () => {
  const app = await startOwnApp({ database: 'own' });
  const home = await newHome(app);
  const { userId } = home.org.owner;
  const wanted = { properties: { n: { type: 'integer' } }, settings: { history_days: 30 } };
  const things = await newCollection(app, home, wanted);
  await now(app, things);
  // Such an instance does not store what updates replace.
  const functions = (await functionsOf(app, things)).map(source =>
    source.replace(/-- begin of updates[\s\S]*-- end of updates\n/, ''),
  );
  const [schema, hex] = [schemaOf(things.orgId), things.id.replaceAll('-', '')];
  // As the transaction of such an instance leaves it: tables and functions without authors.
  await app.sql(`DROP TRIGGER add_missing_authors ON collections`);
  for (const table of [`c_${hex}`, `h_${hex}`])
    await app.sql(`ALTER TABLE ${schema}.${table} DROP COLUMN created_by, DROP COLUMN updated_by`);
  for (const source of functions) {
    const purpose = source.includes('own_event') ? 'keep' : 'follow';
    const without = source
      .replaceAll('created_by, updated_by, ', '')
      .replaceAll(' t.created_by, t.updated_by,', '')
      .replaceAll("'", "''");
    await app.sql(
      `CREATE OR REPLACE FUNCTION ${schema}.${purpose}_${hex}() RETURNS trigger LANGUAGE plpgsql AS '${without}'`,
    );
  }
  await app.sql(`CREATE CONSTRAINT TRIGGER add_missing_authors AFTER INSERT OR UPDATE OF version ON collections
    DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION add_missing_authors()`);
  await app.sql('UPDATE collections SET version = version + 1 WHERE id = $1', [things.id]);

  expect(await functionsOf(app, things)).toEqual(functions);
  const [id] = (await insert(app, things, { n: 1 })) as [string];
  await setFields(app, things, id, { n: 2 });
  expect(await authors(app, things, id)).toEqual([userId, userId]);
  await app.close();
});
