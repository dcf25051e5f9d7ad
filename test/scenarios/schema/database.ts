import pg from 'pg';
import type { TestApp, TestResponse } from '../../harness/app.js';
import type { TestCollection } from '../../harness/collection.js';

/** Runs `work` while another transaction that ran `statement` is open. */
export async function during<T>(app: TestApp, statement: string, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: app.settings.DATABASE_URL });
  await client.connect();
  try {
    await client.query(`BEGIN; ${statement}`);
    return await work();
  } finally {
    await client.end();
  }
}

/** The indexes of a collection's table, except the two that every table has, with their states. */
export async function indexesOf(app: TestApp, { table }: TestCollection): Promise<string[]> {
  const rows = await app.sql(
    `SELECT format('%s(%s)%s', CASE WHEN i.indisunique THEN 'unique' ELSE 'index' END,
                   (SELECT string_agg(pg_get_indexdef(i.indexrelid, n, true), ',' ORDER BY n)
                    FROM generate_series(1, i.indnkeyatts) n),
                   CASE WHEN i.indisvalid THEN '' ELSE ' invalid' END) AS shown
     FROM pg_index i JOIN pg_class c ON c.oid = i.indexrelid
     WHERE i.indrelid = $1::regclass AND c.relname ~ '^[iu]_'`,
    [table],
  );
  return rows.map(row => row.shown).sort();
}

/** Changes the schema as the owner, and waits until the change has ended even if it takes long. Resolves to the answer. */
export async function changeSchema(
  app: TestApp,
  { path, owner }: TestCollection,
  properties: object,
): Promise<TestResponse> {
  const answer = await app.request('PATCH', `${path}/schema`, { ...owner, body: { properties } });
  if (answer.status !== 202) return answer;
  await until(async () => (await app.request('GET', path, owner)).body.status === 'ready');
  const { change } = (await app.request('GET', path, owner)).body;
  if (change !== undefined) throw new Error(`the change failed: ${JSON.stringify(change)}`);
  return { ...answer, status: 200 };
}

/** Waits until something holds. Throws after a minute. */
export async function until(holds: () => Promise<boolean>): Promise<void> {
  for (const end = performance.now() + 60_000; performance.now() < end; ) {
    if (await holds()) return;
    await new Promise(resolve => setTimeout(resolve, 20));
  }
  throw new Error('it never came true');
}
