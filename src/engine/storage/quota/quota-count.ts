import { setTimeout as pause } from 'node:timers/promises';
import type { DataSource } from 'typeorm';
import { literal, param, sql } from '../../../base/sql/index.js';
import { lockKey } from '../../../platform/database/advisory-locks.js';
import { orgTable } from '../../../platform/database/org-schema.js';
import { execute } from '../../../platform/database/queryable.js';
import type { Transactions } from '../../../platform/database/transactions.js';
import { type CollectionShape } from '../collection-shape.js';
import { tableOf } from '../table-sql.js';

/**
 * Timeout of a count. After this time another count may begin. It is added to the time of the statement, because Citus
 * accepts no volatile function in an UPDATE.
 */
const COUNT_WITHIN_MS = 5 * 60_000;
const LOOK_EVERY_MS = 20;

/**
 * Counts the records of a collection and corrects its quota. This frees capacity that killed instances had leased, and capacity
 * of inserts whose result is unknown. No request waits for a count.
 *
 * It ends all leases by a new generation. From then on inserts take capacity in their own transaction. So in any snapshot
 * the quota, minus the capacity that deletes returned, exceeds the number of rows by exactly the capacity to free. One
 * statement, and so one snapshot, computes this excess, which is subtracted afterwards.
 *
 * Returns false when another count is running.
 */
export async function countRecords(
  source: DataSource,
  transactions: Transactions,
  shape: CollectionShape,
): Promise<boolean> {
  const id = param(shape.id, 'uuid');
  const quotas = orgTable(shape.orgId, 'record_quotas');
  const within = literal(`${COUNT_WITHIN_MS} ms`);
  const generation = await transactions.run(async manager => {
    const [rows]: [{ generation: string }[], number] = await execute(
      manager,
      sql`UPDATE ${quotas} SET generation = generation + 1, counting_until = statement_timestamp() + interval ${within}
       WHERE collection_id = ${id} AND (counting_until IS NULL OR counting_until <= statement_timestamp()) RETURNING generation`,
    );
    if (rows[0] === undefined) return undefined;
    await execute(
      manager,
      sql`DELETE FROM ${orgTable(shape.orgId, 'quota_leases')} WHERE collection_id = ${id}`,
    );
    return rows[0].generation;
  });
  if (generation === undefined) return false;
  await leasedInsertsEnded(source, shape);
  await transactions.run({ statementTimeoutMs: COUNT_WITHIN_MS }, async manager => {
    const returns = orgTable(shape.orgId, 'quota_returns');
    const [counted] = await execute(
      manager,
      sql`SELECT q.used - (SELECT count(*) FROM ${tableOf(shape)})
         - coalesce((SELECT sum(r.records) FROM ${returns} r WHERE r.collection_id = ${id}), 0) AS excess
       FROM ${quotas} q WHERE q.collection_id = ${id}`,
    );
    await execute(
      manager,
      sql`UPDATE ${quotas} SET used = used - ${param(counted?.excess ?? 0, 'bigint')}, counting_until = NULL
       WHERE collection_id = ${id} AND generation = ${param(generation, 'bigint')}`,
    );
  });
  return true;
}

/**
 * Waits until no insert uses a lease: such inserts hold a lock (`quota_holds`). The lock is polled, because a waiting
 * request for it would block the inserts behind it.
 */
async function leasedInsertsEnded(source: DataSource, { id }: CollectionShape): Promise<void> {
  for (;;) {
    const key = lockKey('leasedInserts', sql`${param(id, 'uuid')}::text`);
    const [row] = await execute(source, sql`SELECT pg_try_advisory_xact_lock(${key}) AS ended`);
    if (row.ended) return;
    await pause(LOOK_EVERY_MS);
  }
}
