import { setTimeout as pause } from 'node:timers/promises';
import { sqlState } from '../kernel/sql-state.js';

/**
 * For the transaction of each attempt. While it waits for a table, everybody who comes later waits behind it. Shorter than
 * PostgreSQL's `deadlock_timeout` of 1 s: in a circle, whoever waits longest is ended first, and that must not be a reader.
 */
export const LOCK_WITHIN = `SET LOCAL lock_timeout = '500ms'`;
const PAUSES_MS = [100, 250, 500, 1_000, 2_000, 2_000, 2_000];

/**
 * Repeats the removal of tables that others are in the way of: readers, or indexes that are being built, which wait for
 * older transactions in their turn. Giving up its locks lets them through, and then it is done again.
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

/** A lock not given in time, a deadlock, or rows of the catalog that a build of indexes has just changed (XX000). */
function isInTheWay(error: unknown): boolean {
  const state = sqlState(error);
  const byCatalog = state === 'XX000' && /tuple concurrently/.test((error as Error).message);
  return state === '55P03' || state === '40P01' || byCatalog;
}
