import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { versionsOf } from '../../harness/tables.js';

const FEW = 100;
/** More than all scans of the table read while it has few rows. */
const MANY = 50_000;
const AT_ONCE = 8;
const ROUNDS = 8;
/** PostgreSQL counts what an idle connection did after 10 s. */
const COUNTED_WITHIN = { timeout: 25_000, interval: 250 };

describe('a table that grows', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  /** A collection of few records whose table PostgreSQL has analyzed, and will not analyze again by itself. */
  const smallCollection = async (settings: object = {}) => {
    const collection = await newCollection(app, home, {
      properties: { k: { type: 'integer' } },
      indexes: [{ properties: ['k'] }],
      settings: { max_records: 1_000_000, ...settings },
    });
    const records = Array.from({ length: FEW }, (_, k) => ({ k }));
    const ids = await insert(app, collection, ...records);
    await keepStatistics(collection.table);
    return { collection, ids };
  };
  const keepStatistics = async (table: string) => {
    await app.sql(`ALTER TABLE ${table} SET (autovacuum_enabled = false)`);
    await app.sql(`ANALYZE ${table}`);
  };

  /** Sends a request for each of some records, on all connections, as often as a plan needs to be kept. */
  const onAllConnections = async (
    ids: readonly string[],
    send: (id: string, k: number) => ReturnType<TestApp['request']>,
  ) => {
    for (let round = 0; round < ROUNDS; round++) {
      const chosen = ids.slice(round * AT_ONCE, (round + 1) * AT_ONCE);
      const answers = await Promise.all(chosen.map((id, at) => send(id, round * AT_ONCE + at)));
      expect(answers.map(({ status }) => status)).toEqual(chosen.map(() => 200));
    }
    return ROUNDS * AT_ONCE;
  };
  const read =
    ({ data, owner }: TestCollection) =>
    (id: string) =>
      app.request('GET', `${data}/${id}`, owner);
  const update =
    ({ data, owner }: TestCollection) =>
    (id: string) =>
      app.request('PATCH', `${data}/${id}`, { ...owner, body: { seen: Date.now() } });
  const query =
    ({ data, owner }: TestCollection) =>
    (_: string, k: number) =>
      app.request('POST', `${data}/query`, { ...owner, body: { filter: { k } } });

  const scansOf = async (table: string) => {
    const [scans] = await app.sql(
      `SELECT idx_scan::int AS "byIndex", seq_tup_read::int AS "rowsOfWholeScans"
       FROM pg_stat_user_tables WHERE relid = $1::regclass`,
      [table],
    );
    return scans as { byIndex: number; rowsOfWholeScans: number };
  };
  const expectIndexScans = async (table: string, count: number) => {
    await expect
      .poll(async () => (await scansOf(table)).byIndex, COUNTED_WITHIN)
      .toBeGreaterThanOrEqual(count);
    expect((await scansOf(table)).rowsOfWholeScans).toBeLessThan(MANY);
  };

  it('is read by id by its primary key, although its statistics are those of a small table', async () => {
    const { collection, ids } = await smallCollection();
    await onAllConnections(ids, read(collection));
    await app.sql(
      `INSERT INTO ${collection.table} (_id, created_at, updated_at)
       SELECT gen_random_uuid(), now(), now() FROM generate_series(1, ${MANY})`,
    );
    const { byIndex } = await scansOf(collection.table);
    await expectIndexScans(collection.table, byIndex + (await onAllConnections(ids, read(collection))));
  });

  it('of versions is not read by updates and deletes', async () => {
    const { collection, ids } = await smallCollection();
    const { data, owner } = collection;
    const versions = versionsOf(home.org.id, collection.id);
    const updates = await onAllConnections(ids, update(collection));
    const deletes = await onAllConnections(ids, id => app.request('DELETE', `${data}/${id}`, owner));
    await expect
      .poll(async () => {
        const [{ stored }] = await app.sql(
          'SELECT n_tup_ins::int AS stored FROM pg_stat_user_tables WHERE relid = $1::regclass',
          [versions],
        );
        return stored;
      }, COUNTED_WITHIN)
      .toBe(updates + 2 * deletes);
    expect(await scansOf(versions)).toEqual({ byIndex: 0, rowsOfWholeScans: 0 });
  });

  it.each<[string, (collection: TestCollection) => Promise<void>]>([
    [
      'bulk inserts',
      async ({ data, owner }) => {
        const records = Array.from({ length: 1_000 }, (_, k) => ({ k: FEW + k }));
        for (let n = 0; n < MANY / 1_000; n++) {
          const { status } = await app.request('POST', `${data}/bulk`, { ...owner, body: { records } });
          expect(status).toBe(201);
        }
      },
    ],
    [
      'an import',
      async ({ path, owner }) => {
        const raw = `k\n${Array.from({ length: MANY }, (_, k) => FEW + k).join('\n')}\n`;
        const headers = { 'content-type': 'text/csv' };
        const { status } = await app.request('POST', `${path}/import`, { ...owner, raw, headers });
        expect(status).toBe(200);
      },
    ],
  ])('gets new statistics after %s, so that updates and queries use its indexes', async (_, grow) => {
    const { collection, ids } = await smallCollection({ history_days: 0 });
    const { table } = collection;
    await onAllConnections(ids, update(collection));
    await onAllConnections(ids, query(collection));
    await grow(collection);
    await expect
      .poll(async () => {
        const [{ rows }] = await app.sql(
          'SELECT reltuples::int AS rows FROM pg_class WHERE oid = $1::regclass',
          [table],
        );
        return rows;
      }, COUNTED_WITHIN)
      .toBeGreaterThan(10 * FEW);
    const { byIndex } = await scansOf(table);
    const updates = await onAllConnections(ids, update(collection));
    const queries = await onAllConnections(ids, query(collection));
    await expectIndexScans(table, byIndex + updates + queries);
  });
});
