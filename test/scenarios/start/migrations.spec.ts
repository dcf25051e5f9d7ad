import pg from 'pg';
import type { QueryRunner } from 'typeorm';
import { expect, it, onTestFinished, vi } from 'vitest';
import { migrate, migrateDown } from '../../../src/platform/database/migrate.js';
import type { MigrationNews } from '../../../src/platform/database/migrating/migration-news.js';
import { MigrationSession } from '../../../src/platform/database/migrating/migration-session.js';
import { MIGRATIONS } from '../../../src/platform/database/migrations.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { insert, newCollection, newHome, outcome, type TestCollection } from '../../harness/collection.js';
import { freshDatabaseUrl } from '../../harness/database.js';

/**
 * Everything that migrations create, one line each, except TypeORM's own table of migrations, and the functions of
 * extensions: these stay after a rollback, because others may use them.
 */
const OBJECTS = `SELECT n.nspname || ' ' || object AS line FROM pg_namespace n CROSS JOIN LATERAL (
    SELECT 'schema' WHERE n.nspname <> 'public'
    UNION ALL SELECT concat_ws(' ', c.relname, a.attname, format_type(a.atttypid, a.atttypmod), a.attnotnull,
        pg_get_expr(d.adbin, d.adrelid), a.attgenerated)
      FROM pg_class c JOIN pg_attribute a ON a.attrelid = c.oid AND a.attnum > 0 AND NOT a.attisdropped
      LEFT JOIN pg_attrdef d ON d.adrelid = c.oid AND d.adnum = a.attnum
      WHERE c.relnamespace = n.oid AND c.relkind IN ('r', 'p', 'v', 'm', 'S')
    UNION ALL SELECT indexdef FROM pg_indexes WHERE schemaname = n.nspname
    UNION ALL SELECT concat_ws(' ', conrelid::regclass, conname, pg_get_constraintdef(oid)) FROM pg_constraint WHERE connamespace = n.oid
    UNION ALL SELECT pg_get_triggerdef(t.oid) FROM pg_trigger t JOIN pg_class c ON c.oid = t.tgrelid
      WHERE c.relnamespace = n.oid AND NOT tgisinternal
    UNION ALL SELECT pg_get_functiondef(oid) FROM pg_proc WHERE pronamespace = n.oid AND prokind IN ('f', 'p')
      AND NOT EXISTS (SELECT FROM pg_depend WHERE classid = 'pg_proc'::regclass AND objid = pg_proc.oid AND deptype = 'e')
    UNION ALL SELECT 'type ' || typname FROM pg_type WHERE typnamespace = n.oid AND typtype IN ('e', 'd')
  ) made(object)
  WHERE n.nspname !~ '^pg_|^information_schema$' AND object !~ '\\mmigrations\\M|migrations_id_seq'
  ORDER BY line`;

async function objects(url: string): Promise<string[]> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    return (await client.query<{ line: string }>(OBJECTS)).rows.map(({ line }) => line);
  } finally {
    await client.end();
  }
}

/** The URL of a database that the service has used: it contains an owner, keys, a collection and a record. */
async function usedDatabase(): Promise<string> {
  const app = await startOwnApp({ database: 'own' });
  const key = app.bootstrap.orgApiKey;
  const made = await app.request('POST', '/v1/collections', { key, body: { name: 'books' } });
  const data = `/v1/collections/${made.body.collection_id}/data`;
  const inserted = await app.request('POST', data, { key, body: { records: [{ title: 'Emma' }] } });
  expect(inserted.body).toMatchObject({ inserted_count: 1 });
  await app.close();
  return app.settings.DATABASE_URL as string;
}

/** Runs each migration that has no transaction twice, as after a process that was killed before it noted the first time. */
function repeatMigrations(): void {
  for (const { prototype } of MIGRATIONS.filter(each => 'transaction' in new each())) {
    for (const way of ['up', 'down'] as const) {
      const run = prototype[way];
      vi.spyOn(prototype, way).mockImplementation(async function (this: object, runner: QueryRunner) {
        await run.call(this, runner);
        await run.call(this, runner);
      });
    }
  }
  onTestFinished(() => void vi.restoreAllMocks());
}

it('reverts every migration of a database in use, newest first, down to an empty one, and applies all again; each may be interrupted', async () => {
  const url = await usedDatabase();
  repeatMigrations();
  const newestFirst = MIGRATIONS.map(({ name }) => name).reverse();

  const reverted: string[] = [];
  for (let name = await migrateDown(url); name !== undefined; name = await migrateDown(url))
    reverted.push(name);
  expect(reverted).toEqual(newestFirst);
  expect(await objects(url)).toEqual([]);

  expect(await migrate(url)).toEqual(newestFirst.reverse());
  const again = await objects(url);
  expect(again).toContainEqual(expect.stringMatching(/^public users id uuid t/));
  expect(again).toEqual(await objects(await freshDatabaseUrl()));
});

/** The oldest migration that the last test reverts. Earlier versions counted records in another way. */
const QUOTAS = 'CountRecordsByQuota1795000023000';

/** `max_records` of a collection, the number of its records, and how many of these are deleted again. */
const FILLINGS = [
  [1, 0, 0],
  [1, 1, 0],
  [5, 5, 0],
  [10, 4, 0],
  [10, 10, 3],
  [100, 95, 0],
] as const;

/** The data that clients read and migrations touch. */
async function readings(app: TestApp, collections: readonly TestCollection[]): Promise<unknown[]> {
  const { owner, orgSlug } = collections[0] as TestCollection;
  const lists = [`/v2/orgs/${orgSlug}/invites`, `/v2/orgs/${orgSlug}/members`, '/v1/collections'];
  const ofCollections = collections.flatMap(({ path }) => [
    `${path}/webhooks`,
    `${path}/changes`,
    `${path}/export?format=ndjson`,
  ]);
  const answers = await Promise.all(
    [...lists, ...ofCollections].map(path => app.request('GET', path, owner)),
  );
  return answers.map(({ status, text }) => [status, text.replace(/"(next_cursor|cursor)":"[^"]*"/g, '')]);
}

it('keeps data when the newest migrations are reverted and applied again, and max_records exact afterwards', async () => {
  const app = await startOwnApp({ database: 'own' });
  const url = app.settings.DATABASE_URL as string;
  const home = await newHome(app);
  const collections: TestCollection[] = [];
  for (const [max_records, inserted, deleted] of FILLINGS) {
    // A migration that is reverted ends the history of all collections.
    const collection = await newCollection(app, home, { settings: { max_records, history_days: 0 } });
    const ids = inserted > 0 ? await insert(app, collection, ...Array(inserted).fill({})) : [];
    for (const id of ids.slice(0, deleted))
      await app.request('DELETE', `${collection.data}/${id}`, home.owner);
    collections.push(collection);
  }
  const [{ path }] = collections as [TestCollection];
  const hook = { url: 'https://example.com/hook', events: ['inserted'] };
  expect((await app.request('POST', `${path}/webhooks`, { ...home.owner, body: hook })).status).toBe(201);
  const invite = { email: 'ada@example.com', roleSlug: 'member' };
  await app.request('POST', `${home.org.path}/invites`, { ...home.owner, body: invite });
  const before = await readings(app, collections);
  await app.close();

  while ((await migrateDown(url)) !== QUOTAS);
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  // Slots that instances of the previous version reserved and never used.
  const slots = `${(collections[0] as TestCollection).table.split('.')[0]}.record_slots`;
  const { rows } = await client.query(`UPDATE ${slots} SET granted = granted + 7 RETURNING collection_id`);
  expect(rows).toHaveLength(collections.length);
  // As an instance of the previous version that creates a collection meanwhile.
  const { id } = collections.at(-1) as TestCollection;
  await client.query(`CREATE TEMP TABLE begun AS SELECT * FROM ${slots} WHERE collection_id = '${id}'`);
  await client.query(`DELETE FROM ${slots} WHERE collection_id = '${id}'`);
  await client.query(`BEGIN; INSERT INTO ${slots} SELECT * FROM begun`);
  let created: Promise<unknown> | undefined;
  await migrate(url, undefined, ({ state }) => {
    if (state === 'waiting') created ??= client.query('COMMIT');
  });
  await created;
  await client.end();

  // Sessions are valid at this address only.
  const environment = { PUBLIC_URL: app.url };
  const again = await startOwnApp({ database: { url }, environment });
  onTestFinished(() => again.close());
  expect(await readings(again, collections)).toEqual(before);
  for (const [index, [max, inserted, deleted]] of FILLINGS.entries()) {
    const { data, table } = collections[index] as TestCollection;
    const add = async (count: number) =>
      outcome(await again.request('POST', data, { ...home.owner, body: { records: Array(count).fill({}) } }));
    const room = max - inserted + deleted;
    expect(await add(room + 1)).toEqual([422, 'CollectionFull']);
    if (room > 0) expect(await add(room)).toEqual([200, undefined]);
    expect(await add(1)).toEqual([422, 'CollectionFull']);
    const [{ count }] = await again.sql(`SELECT count(*)::int FROM ${table}`);
    expect(count).toBe(max);
  }
});

it('removes collections in the trash when the trash is reverted, and nothing else', async () => {
  const app = await startOwnApp({ database: 'own' });
  const url = app.settings.DATABASE_URL as string;
  const home = await newHome(app);
  const deleted = await newCollection(app, home);
  await insert(app, deleted, { n: 1 });
  expect((await app.request('DELETE', deleted.path, home.owner)).status).toBe(200);
  const again = await newCollection(app, home, { name: deleted.name });
  await insert(app, again, { n: 2 });
  await app.close();

  while ((await migrateDown(url)) !== 'KeepDeletedCollections1795000029000');
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  const schema = deleted.table.split('.')[0];
  const { rows: names } = await client.query('SELECT name FROM collections WHERE org_id = $1', [home.org.id]);
  expect(names).toEqual([{ name: again.name }]);
  const trashed = 'SELECT tablename FROM pg_tables WHERE schemaname = $1 AND tablename ~ $2';
  expect((await client.query(trashed, [schema, '^trash_'])).rows).toEqual([]);
  const { rows: counters } = await client.query(`SELECT collection_id FROM ${schema}.record_quotas`);
  expect(counters).toEqual([{ collection_id: again.id }]);
  await client.end();

  await migrate(url);
  const migrated = await startOwnApp({ database: { url }, environment: { PUBLIC_URL: app.url } });
  onTestFinished(() => migrated.close());
  expect((await migrated.request('GET', `${again.data}/count`, home.owner)).body).toEqual({ count: 1 });
  const { body } = await migrated.request('GET', '/v1/trash/collections', home.owner);
  expect(body.items).toEqual([]);
});

/** As a migration that must lock a table that every request reads. */
class LockCollections1799000000000 {
  async up(runner: QueryRunner): Promise<void> {
    await runner.query('ALTER TABLE collections ADD COLUMN probe integer');
  }

  async down(): Promise<void> {}
}

it('lets requests pass while it waits for an open export, and applies a migration when that ends', async () => {
  const app = await startOwnApp({ database: 'own' });
  onTestFinished(() => app.close());
  const url = app.settings.DATABASE_URL as string;
  const home = await newHome(app);
  const collection = await newCollection(app, home);
  const exporting = new pg.Client({ connectionString: url, application_name: 'an export' });
  await exporting.connect();
  await exporting.query('BEGIN; SELECT FROM collections LIMIT 1; SELECT FROM users LIMIT 1');

  const news: MigrationNews[] = [];
  const migrations = [...MIGRATIONS, LockCollections1799000000000];
  let migrated: Promise<string[]> | undefined;
  await new Promise<void>(waits => {
    const tell = (each: MigrationNews) => {
      news.push(each);
      if (each.state === 'waiting') waits();
    };
    migrated = MigrationSession.run(url, migrations, tell, session => session.applyPending());
  });
  const statuses: number[] = [];
  for (let n = 0; n < 20; n++) {
    const answers = await Promise.all([
      app.request('POST', collection.data, { ...home.owner, body: { records: [{ n }] } }),
      app.request('GET', `${collection.data}/count`, home.owner),
      app.request('POST', '/v1/collections', { ...home.owner, body: { name: `at_${n}` } }),
      app.request('GET', '/v2/me', home.owner),
    ]);
    statuses.push(...answers.map(({ status }) => status));
  }
  expect(new Set(statuses)).toEqual(new Set([200]));
  expect(news).toEqual([
    { migration: 'LockCollections1799000000000', state: 'begun' },
    {
      migration: 'LockCollections1799000000000',
      state: 'waiting',
      waitsFor: [{ pid: expect.any(Number), application: 'an export', since: expect.any(String) }],
    },
  ]);
  await exporting.end();
  expect(await migrated).toEqual(['LockCollections1799000000000']);
  expect(news.at(-1)?.state).toBe('applied');
  expect((await app.request('GET', `${collection.data}/count`, home.owner)).body).toEqual({ count: 20 });
});
