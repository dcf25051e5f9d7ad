import { setTimeout as pause } from 'node:timers/promises';
import { COLUMN_TYPES } from '../../columns/index.js';
import { orgTable } from '../../database/org-schema.js';
import { execute, type Queryable } from '../../database/queryable.js';
import { sqlState } from '../../kernel/sql-state.js';
import { identifier, joined, NOTHING, param, sql } from '../../sql/index.js';
import { endFeed } from '../changes/change-feed.js';
import { type CollectionShape, columnsOf, type Table, tableOf } from '../collection-shape.js';
import { forgetVersions, keepVersions } from '../history/versions.js';
import type { TableAccess } from '../table-access.js';
import { dropTriggerFunction } from '../trigger-function.js';

/**
 * Creates a collection's table in the caller's transaction, without its own indexes. It has typed columns for the declared
 * schema and `x` for the flexible fields. System columns come first, because every record has them.
 */
export async function createTable(
  tables: TableAccess,
  transaction: Queryable,
  shape: CollectionShape,
): Promise<void> {
  const columns = columnsOf(shape).map(
    ({ column, definition: { type, nullable } }) =>
      sql`, ${column} ${COLUMN_TYPES[type].sqlType}${nullable ? NOTHING : sql` NOT NULL`}`,
  );
  const table = sql`
    CREATE TABLE ${tableOf(shape)} (
      _id uuid PRIMARY KEY,
      created_at timestamptz NOT NULL,
      updated_at timestamptz NOT NULL,
      expires_at timestamptz,
      x jsonb NOT NULL DEFAULT '{}'${joined(columns, '')}
    )`;
  await execute(transaction, table);
  const quotas = orgTable(shape.orgId, 'record_quotas');
  await execute(transaction, sql`INSERT INTO ${quotas} (collection_id) VALUES (${param(shape.id, 'uuid')})`);
  const expiry = identifier(`e_${shape.id.replaceAll('-', '')}`);
  await execute(
    transaction,
    sql`CREATE INDEX ${expiry} ON ${tableOf(shape)} (expires_at) WHERE expires_at IS NOT NULL`,
  );
  if (shape.historySince)
    await keepVersions(transaction, shape, await tables.versionsForTriggers(transaction, shape.orgId));
}

/**
 * Drops the table with all its records in the caller's transaction; followers get no more changes. The table is dropped
 * before the quota, because inserts also lock the table first.
 */
export async function dropTable(transaction: Queryable, shape: CollectionShape): Promise<void> {
  await execute(transaction, sql`DROP TABLE IF EXISTS ${tableOf(shape)}`);
  await dropTriggerFunction(transaction, shape, 'move');
  await forgetVersions(transaction, shape);
  await dropQuota(transaction, shape);
  await endFeed(transaction, shape);
}

/** Deletes the counters of the records of a collection. */
export async function dropQuota(transaction: Queryable, shape: Table): Promise<void> {
  for (const each of ['record_quotas', 'quota_leases', 'quota_returns']) {
    const table = orgTable(shape.orgId, each);
    await execute(transaction, sql`DELETE FROM ${table} WHERE collection_id = ${param(shape.id, 'uuid')}`);
  }
}

/**
 * Options of the transaction of each attempt. While an attempt waits for a table lock, all later statements on the
 * table wait behind it. The timeout is shorter than PostgreSQL's `deadlock_timeout` of 1 s: in a deadlock, the
 * transaction that has waited longest is ended first, and that must not be a reader.
 */
export const TABLE_LOCKS = { lockTimeoutMs: 500 };
const PAUSES_MS = [100, 250, 500, 1_000, 2_000, 2_000, 2_000];

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
function isLockConflict(error: unknown): boolean {
  const state = sqlState(error);
  const byCatalog = state === 'XX000' && /tuple concurrently/.test((error as Error).message);
  return state === '55P03' || state === '40P01' || byCatalog;
}
