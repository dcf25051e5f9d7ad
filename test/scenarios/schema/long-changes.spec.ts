import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  insert,
  newCollection,
  newHome,
  type TestCollection,
} from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';
import { changeSchema, during, indexesOf } from './database.js';

/** Longer than any request of these tests, except the two that are slowed down. */
const STATEMENT_TIMEOUT_MS = 1_500;
const LONGER = (STATEMENT_TIMEOUT_MS * 1.5) / 1_000;

describe('a change that takes longer than the statement timeout', () => {
  let app: TestApp;
  let impatient: TestApp;
  let collection: TestCollection;
  let key: Caller;
  beforeAll(async () => {
    app = await startApp();
    impatient = await startOwnApp({
      database: { url: app.settings.DATABASE_URL as string },
      environment: { DATABASE_STATEMENT_TIMEOUT_MS: String(STATEMENT_TIMEOUT_MS) },
    });
    const home = await newHome(app);
    key = { key: (await newKey(app, home.org)).apiKey };
    collection = await newCollection(app, home, { properties: { year: { type: 'integer' } } });
    await insert(app, collection, { n: 1, year: 1 });
  });
  afterAll(() => impatient?.close());

  it('succeeds for the schema', async () => {
    const { table, path } = collection;
    await app.sql(`
      CREATE FUNCTION ${table}_slow() RETURNS trigger LANGUAGE plpgsql AS
        $f$ BEGIN PERFORM pg_sleep(${LONGER}); RETURN NEW; END $f$;
      CREATE TRIGGER slow BEFORE UPDATE ON ${table} FOR EACH ROW EXECUTE FUNCTION ${table}_slow()`);
    const body = { properties: { n: { type: 'integer' } } };
    expect((await impatient.request('PATCH', `${path}/schema`, { ...key, body })).status).toBe(200);
    expect(await app.sql(`SELECT c2::int AS n, x FROM ${table}`)).toEqual([{ n: 1, x: {} }]);
  });

  it('succeeds for the indexes', async () => {
    const { table, path } = collection;
    const builds = await during(app, `LOCK TABLE ${table} IN ROW EXCLUSIVE MODE`, async () => {
      const body = { indexes: [{ properties: ['year'] }] };
      const build = impatient.request('POST', `${path}/indexes`, { ...key, body });
      await app.sql(`SELECT pg_sleep(${LONGER})`);
      return [build];
    });
    expect((await builds[0])?.status).toBe(200);
    expect(await indexesOf(app, collection)).toEqual(['index(c1,_id)']);
  });
});

describe('a collection of many records', () => {
  const ROWS = 12_000;

  it('moves and converts every value', async () => {
    const app = await startApp();
    const collection = await newCollection(app, await newHome(app), { settings: { max_records: ROWS } });
    const { table } = collection;
    await app.sql(
      `INSERT INTO ${table} (_id, created_at, updated_at, x)
       SELECT gen_random_uuid(), now(), now(), jsonb_build_object('n', n, 'name', 'name ' || n, 'at', '2026-01-31T09:30:00+01:00')
       FROM generate_series(1, ${ROWS}) n`,
    );
    const change = async (properties: object, status = 200) =>
      expect((await changeSchema(app, collection, properties)).status).toBe(status);
    await change({ n: { type: 'integer', nullable: false }, name: { type: 'integer' } }, 422);
    await change({
      n: { type: 'integer', nullable: false },
      name: { type: 'text' },
      at: { type: 'datetime' },
    });
    await change({ n: { type: 'text' } });
    const [row] = await app.sql(
      `SELECT count(*)::int AS rows, count(DISTINCT c4)::int AS numbers,
              count(*) FILTER (WHERE x = '{}' AND c2 = 'name ' || c4 AND c3 = '2026-01-31T08:30:00Z')::int AS whole
       FROM ${table}`,
    );
    expect(row).toEqual({ rows: ROWS, numbers: ROWS, whole: ROWS });
  });
});
