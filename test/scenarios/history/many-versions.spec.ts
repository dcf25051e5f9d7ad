import { DataSource } from 'typeorm';
import { beforeAll, describe, expect, it } from 'vitest';
import { DAY_MS } from '../../../src/base/kernel/clock.js';
import { render } from '../../../src/base/sql/index.js';
import { PRUNED_AT_ONCE, pruneStatement } from '../../../src/engine/storage/history/prune-versions.js';
import { Collection } from '../../../src/features/collections/collection.entity.js';
import { VersionPruning } from '../../../src/features/history/version-pruning.service.js';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import { newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { query, succeed } from '../../harness/collection-requests.js';
import { onCitus } from '../../harness/on-citus.js';
import { sharingUpdates } from '../../harness/shared-updates.js';
import { tableOf, versionsOf } from '../../harness/tables.js';
import { newKey } from '../orgs/org.js';
import { newestEvent, undone } from './undo.js';

const [RECORDS, VERSIONS] = [10_000, 100];
/** So many of the oldest versions of each record ended before the time that the collection keeps. */
const TOO_OLD = 2;

describe('a collection with 1,000,000 versions', () => {
  let app: TestApp;
  let collection: TestCollection;
  let id: string;
  const versions = () => versionsOf(collection.orgId, collection.id);

  beforeAll(async () => {
    app = await startApp();
    const { org } = await newHome(app);
    // A key is valid on every instance.
    const owner = { key: (await newKey(app, org)).apiKey };
    collection = await newCollection(
      app,
      { org, owner },
      { properties: { n: { type: 'integer' } }, settings: { max_records: 2 * RECORDS } },
    );
    const records = Array.from({ length: RECORDS / 10 }, () => ({ n: VERSIONS }));
    for (let sent = 0; sent < RECORDS; sent += records.length)
      await succeed(app, collection, 'POST', '/data/bulk', { records });
    [{ id }] = await app.sql(
      `SELECT _id::text AS id FROM ${tableOf(collection.orgId, collection.id)} ORDER BY _id OFFSET ${RECORDS / 2} LIMIT 1`,
    );
    await storeVersions();
  }, 120_000);

  /**
   * Stores versions as the triggers do: version `n` is the record with that `n`, one hour apart, the oldest ones 8 days
   * ago. The indexes are built afterwards, and each statement stores a part, because all at once takes too long.
   */
  async function storeVersions() {
    const indexes: { name: string; definition: string }[] = await app.sql(
      `SELECT indexrelid::regclass AS name, pg_get_indexdef(indexrelid) AS definition FROM pg_index
       WHERE indrelid = $1::regclass AND NOT indisprimary`,
      [versions()],
    );
    for (const { name } of indexes) await app.sql(`DROP INDEX ${name}`);
    const parts = 4;
    for (let part = 0; part < parts; part++)
      await app.sql(
        `WITH records AS MATERIALIZED (SELECT _id, created_at, updated_at FROM ${tableOf(collection.orgId, collection.id)}),
         times AS MATERIALIZED (
           SELECT k, began, began + interval '1 hour' AS ended
           FROM generate_series(1, ${VERSIONS}) k CROSS JOIN LATERAL (
             SELECT date_trunc('milliseconds', now()) - interval '1 day' * CASE WHEN k <= ${TOO_OLD} THEN 8 ELSE 5 END + interval '1 hour' * k AS began) b
           WHERE k % ${parts} = $1)
         INSERT INTO ${versions()} (record_id, version, schema, valid_from, valid_to, created_at, x, c1)
         SELECT r._id, t.k, 1, t.began, CASE t.k WHEN ${VERSIONS} THEN r.updated_at ELSE t.ended END, r.created_at, '{}', t.k
         FROM times t CROSS JOIN records r`,
        [part],
      );
    for (const { definition } of indexes) await app.sql(definition);
    await app.nest.get(DataSource).transaction(async manager => {
      // Triggers store no version of what moves values. With Citus they are on another server.
      await manager.query(`SET LOCAL citus.propagate_set_commands = 'local'`);
      await manager.query(`SET LOCAL platform.moving_values = 'on'`);
      await manager.query(`UPDATE ${tableOf(collection.orgId, collection.id)} SET version = ${VERSIONS + 1}`);
    });
    await app.sql(
      `UPDATE collections SET history_since = history_since - interval '30 days', version = version + 1 WHERE id = $1`,
      [collection.id],
    );
    await app.sql(`ANALYZE ${versions()}`);
  }

  /** What all connections that have ended have read of the table of versions. */
  const readVersions = async (): Promise<{ scans: number; rows: number }> => {
    const [row] = await app.sql(
      `SELECT seq_scan::int AS scans, (seq_tup_read + idx_tup_fetch)::int AS rows FROM pg_stat_user_tables
       WHERE relid = $1::regclass`,
      [versions()],
    );
    return row;
  };

  /** What the requests of `work` read of the table of versions. Connections report it when they end at the latest. */
  async function readBy(
    work: (instance: TestApp) => Promise<void>,
  ): Promise<{ scans: number; rows: number }> {
    const instance = await startOwnApp({ database: { url: app.settings.DATABASE_URL as string } });
    await app.sql('SELECT pg_stat_force_next_flush()');
    const before = await readVersions();
    await work(instance);
    await instance.close();
    await expect.poll(async () => (await readVersions()).rows).toBeGreaterThan(before.rows);
    const after = await readVersions();
    return { scans: after.scans - before.scans, rows: after.rows - before.rows };
  }

  it.skipIf(onCitus.hasNoStatistics)(
    'reads the history of a record, and the record at an instant, from the versions of this record',
    async () => {
      const read = await readBy(async instance => {
        const { items } = await succeed(instance, collection, 'GET', `/data/${id}/history?limit=3`);
        expect(items.map(({ record }: { record: { n: number } }) => record.n)).toEqual([
          VERSIONS,
          VERSIONS,
          VERSIONS - 1,
        ]);
        const as_of = items[2].valid_from;
        const then = await succeed(instance, collection, 'GET', `/data/${id}?${query({ as_of })}`);
        expect(then.record).toMatchObject({ _id: id, n: VERSIONS - 1 });
      });
      expect(read).toMatchObject({ scans: 0 });
      expect(read.rows).toBeLessThan(5 * VERSIONS);
    },
  );

  it.skipIf(onCitus.hasNoStatistics)(
    'reads a page of the past from the versions that were valid at the instant',
    async () => {
      const as_of = new Date(Date.now() - 4 * DAY_MS).toISOString();
      const read = await readBy(async instance => {
        const page = await succeed(instance, collection, 'GET', `/data?${query({ as_of, limit: 20 })}`);
        expect(page.records).toHaveLength(20);
        expect(new Set(page.records.map(({ n }: { n: number }) => n)).size).toBe(1);
      });
      expect(read).toMatchObject({ scans: 0 });
      expect(read.rows).toBeLessThan(RECORDS + 25 * VERSIONS);
    },
  );

  it.skipIf(onCitus.hasNoStatistics)(
    'filters and sums records of the past by their columns, from the versions that were valid at the instant',
    async () => {
      const as_of = new Date(Date.now() - 4 * DAY_MS).toISOString();
      const read = await readBy(async instance => {
        const [{ n }] = (await succeed(instance, collection, 'GET', `/data?${query({ as_of, limit: 1 })}`))
          .records;
        for (const [filter, expected] of [
          [{ n }, RECORDS],
          [{ n: { $ne: n } }, 0],
        ]) {
          const where = query({ filter: JSON.stringify(filter), as_of });
          const counted = await succeed(instance, collection, 'GET', `/data/count?${where}`);
          expect(counted).toMatchObject({ count: expected });
        }
        const steps = [{ type: 'sum', input_field: 'n', output_field: 'sum' }];
        const { results } = await succeed(instance, collection, 'POST', '/data/aggregate', { steps, as_of });
        expect(results).toEqual([{ sum: n * RECORDS }]);
      });
      expect(read).toMatchObject({ scans: 0 });
      expect(read.rows).toBeLessThan(5 * RECORDS);
    },
  );

  it.skipIf(onCitus.hasNoStatistics)(
    'undoes an event without reading versions of other records',
    async () => {
      await succeed(app, collection, 'PATCH', `/data/${id}`, { $set: { n: -1 } });
      const event = await newestEvent(app, collection);
      const read = await readBy(async instance => {
        expect(await undone(instance, collection, { event_ids: [event] })).toMatchObject({ undone: 1 });
      });
      expect(read).toMatchObject({ scans: 0 });
      expect(read.rows).toBeLessThan(2 * VERSIONS);
      const { record } = await succeed(app, collection, 'GET', `/data/${id}`);
      expect(record).toMatchObject({ n: VERSIONS });
    },
  );

  it.skipIf(onCitus.hasNoStatistics)(
    'undoes updates that shared a statement without reading versions of other records',
    async () => {
      const rows: { id: string }[] = await app.sql(
        `SELECT _id::text AS id FROM ${tableOf(collection.orgId, collection.id)} ORDER BY _id LIMIT 40`,
      );
      const body = { $set: { n: -1 } };
      await sharingUpdates(app, collection, () =>
        rows.map(row => app.request('PATCH', `${collection.data}/${row.id}`, { ...collection.owner, body })),
      );
      const own: { id: string }[] = await app.sql(
        `SELECT event_id::text AS id FROM ${versions()} WHERE own_event AND record_id = ANY($1)`,
        [rows.map(row => row.id)],
      );
      expect(own).toHaveLength(rows.length);
      const read = await readBy(async instance => {
        const event_ids = own.map(event => event.id);
        expect(await undone(instance, collection, { event_ids })).toMatchObject({ undone: own.length });
      });
      expect(read).toMatchObject({ scans: 0 });
      expect(read.rows).toBeLessThan(4 * VERSIONS * own.length);
      const changed = { filter: JSON.stringify({ n: -1 }) };
      const left = await succeed(app, collection, 'GET', `/data/count?${query(changed)}`);
      expect(left).toMatchObject({ count: 0 });
    },
  );

  it('removes old versions in steps, each of which reads only what it removes', async () => {
    const count = async () => {
      const [row] = await app.sql(`SELECT count(*)::int AS n FROM ${versions()}`);
      return row.n;
    };
    const before = await count();
    const shape = await app.nest
      .get(DataSource)
      .getRepository(Collection)
      .findOneByOrFail({ id: collection.id });
    const { text, values } = render(pruneStatement(shape, new Date(Date.now() - 7 * DAY_MS)));
    const [{ 'QUERY PLAN': plan }] = await app.sql(
      `EXPLAIN (ANALYZE, FORMAT JSON) ${text}`,
      values as unknown[],
    );
    const reads = scansOf(plan[0].Plan).filter(node => versions().endsWith(node['Relation Name'] ?? 'none'));
    expect(reads.map(node => node['Node Type'])).not.toContain('Seq Scan');
    for (const node of reads) expect(rowsOf(node)).toBeLessThanOrEqual(4 * PRUNED_AT_ONCE);
    expect(await count()).toBe(before - PRUNED_AT_ONCE);
    await app.nest.get(VersionPruning).removeOld(new AbortController().signal);
    expect(await count()).toBe(before - TOO_OLD * RECORDS);
  }, 60_000);
});

interface PlanNode {
  readonly 'Node Type': string;
  readonly 'Relation Name'?: string;
  readonly 'Actual Rows': number;
  readonly 'Actual Loops': number;
  readonly 'Rows Removed by Filter'?: number;
  readonly Plans?: readonly PlanNode[];
}

/** The nodes of a plan that read a table. */
function scansOf(node: PlanNode): PlanNode[] {
  const below = (node.Plans ?? []).flatMap(scansOf);
  return node['Node Type'].endsWith('Scan') ? [node, ...below] : below;
}

function rowsOf(node: PlanNode): number {
  return node['Actual Loops'] * (node['Actual Rows'] + (node['Rows Removed by Filter'] ?? 0));
}
