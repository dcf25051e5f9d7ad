import { setTimeout as pause } from 'node:timers/promises';
import { sqlState } from '../../base/kernel/sql-state.js';
import { param, render, type Sql, sql } from '../../base/sql/index.js';
import { execute, type Queryable } from '../../platform/database/queryable.js';

/**
 * Options of the transaction of each attempt. While an attempt waits for a table lock, all later statements on the
 * table wait behind it. The timeout is shorter than PostgreSQL's `deadlock_timeout` of 1 s: in a deadlock, the
 * transaction that has waited longest is ended first, and that must not be a reader.
 */
export const TABLE_LOCKS = { lockTimeoutMs: 500 };
const PAUSES_MS = [100, 250, 500, 1_000, 2_000, 2_000, 2_000];

/** Longer than PostgreSQL's `deadlock_timeout` of 1 s, after which it ends an autovacuum that others wait for. */
const MAINTENANCE_LOCK_TIMEOUT = '1500ms';

/**
 * Locks the table against all reads and writes until the transaction ends. Waits for them no longer than the
 * `lock_timeout` of the transaction.
 */
export async function lockTable(transaction: Queryable, table: Sql): Promise<void> {
  await lockOutMaintenance(transaction, table);
  await execute(transaction, sql`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
}

/**
 * Waits until no VACUUM, ANALYZE or index build works on the table, and keeps them off until the transaction ends.
 * Readers and writers neither wait nor are waited for. Does nothing when the table does not exist, nor with Citus, which
 * would take the lock on its nodes by connections that block those of the change.
 *
 * To be called before a statement that locks out readers or writers. Such a statement has a short lock timeout, so
 * PostgreSQL would not end the autovacuum before which it waits, and would make readers wait in vain.
 */
export async function lockOutMaintenance(transaction: Queryable, table: Sql): Promise<void> {
  const name = param(render(table).text, 'text');
  const [{ lockable, timeout }] = await execute(
    transaction,
    sql`SELECT to_regclass(${name}) IS NOT NULL AND to_regclass('pg_catalog.pg_dist_partition') IS NULL AS lockable,
      current_setting('lock_timeout') AS timeout`,
  );
  if (!lockable) return;
  await setLockTimeout(transaction, MAINTENANCE_LOCK_TIMEOUT);
  await execute(transaction, sql`LOCK TABLE ${table} IN SHARE UPDATE EXCLUSIVE MODE`);
  await setLockTimeout(transaction, timeout);
}

function setLockTimeout(transaction: Queryable, timeout: string): Promise<unknown> {
  return execute(transaction, sql`SELECT set_config('lock_timeout', ${param(timeout, 'text')}, true)`);
}

/**
 * Retries work that locks whole tables, such as their removal, after lock conflicts, for example with readers, or with
 * index builds that wait for older transactions. A failed attempt releases its locks, so that the others can finish.
 * `pausesMs` are the times between the attempts; after the last of them there is one more attempt.
 */
export async function retryLockConflicts<T>(
  attempt: () => Promise<T>,
  pausesMs: Iterable<number> = PAUSES_MS,
): Promise<T> {
  for (const wait of pausesMs) {
    try {
      return await attempt();
    } catch (error) {
      if (!isLockConflict(error)) throw error;
    }
    await pause(wait);
  }
  return attempt();
}

/** A lock timeout, a deadlock, or catalog rows that a concurrent index build has just changed (XX000). */
export function isLockConflict(error: unknown): boolean {
  const state = sqlState(error);
  const byCatalog = state === 'XX000' && /tuple concurrently/.test((error as Error).message);
  return state === '55P03' || state === '40P01' || byCatalog;
}
