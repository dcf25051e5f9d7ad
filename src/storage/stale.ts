import { sqlState } from '../kernel/sql-state.js';

/** The table or a column is missing or has another type: the collection changed after the statement was made. */
const STALE_STATES = new Set(['42P01', '42703', '42804', '3F000']);

/** True for the error of a stale statement. */
export function isStale(error: unknown): boolean {
  return STALE_STATES.has(sqlState(error) ?? '');
}

/** For reads across organizations: one that was deleted meanwhile, together with its collections, has no rows. */
export function noRowsIfStale(error: unknown): never[] {
  if (isStale(error)) return [];
  throw error;
}
