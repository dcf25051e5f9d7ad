import { setTimeout as pause } from 'node:timers/promises';
import { sqlState } from '../kernel/sql-state.js';

/**
 * Lock timeout of each attempt's transaction. While an attempt waits for a table lock, all later statements on the
 * table wait behind it. The timeout is shorter than PostgreSQL's `deadlock_timeout` of 1 s: in a deadlock, the
 * transaction that has waited longest is ended first, and that must not be a reader.
 */
export const LOCK_WITHIN = `SET LOCAL lock_timeout = '500ms'`;
const PAUSES_MS = [100, 250, 500, 1_000, 2_000, 2_000, 2_000];

/**
 * Retries the removal of tables after lock conflicts, for example with readers, or with index builds that wait for
 * older transactions. A failed attempt releases its locks, so that the others can finish.
 */
export async function givingWay<T>(attempt: () => Promise<T>): Promise<T> {
  for (const wait of PAUSES_MS) {
    try {
      return await attempt();
    } catch (error) {
      if (!isInTheWay(error)) throw error;
    }
    await pause(wait);
  }
  return attempt();
}

/** A lock timeout, a deadlock, or catalog rows that a concurrent index build has just changed (XX000). */
function isInTheWay(error: unknown): boolean {
  const state = sqlState(error);
  const byCatalog = state === 'XX000' && /tuple concurrently/.test((error as Error).message);
  return state === '55P03' || state === '40P01' || byCatalog;
}
