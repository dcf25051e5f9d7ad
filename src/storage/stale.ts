import { sqlState } from '../kernel/sql-state.js';

/** The table or a column is gone, or has another type: the collection changed after the statement was made. */
const STALE_STATES = new Set(['42P01', '42703', '42804', '3F000']);

/** True for the failure of a statement that was made for what the collection is no longer. */
export function isStale(error: unknown): boolean {
  return STALE_STATES.has(sqlState(error) ?? '');
}
