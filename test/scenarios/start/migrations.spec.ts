import pg from 'pg';
import { expect, it } from 'vitest';
import { migrate, migrateDown } from '../../../src/database/migrate.js';
import { MIGRATIONS } from '../../../src/database/migrations.js';
import { startOwnApp } from '../../app/app.js';
import { freshDatabaseUrl } from '../../app/database.js';

/** Everything that migrations make, one line each; not the table in which TypeORM counts them. */
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

/** The URL of a database in which the service has worked: an owner, keys, a collection and a record are there. */
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

it('takes back every migration of a database in use, newest first and to nothing, and applies all again', async () => {
  const url = await usedDatabase();
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
