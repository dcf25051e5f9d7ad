import { sqlState } from '../kernel/sql-state.js';

/**
 * The lock timeout of the pool's connections, in milliseconds. Statements on records give their connection back and are
 * retried. Transactions on the platform's tables are not retried and have a timeout of their own (`Transactions`).
 */
export function lockTimeout(statementTimeoutMs: number): number {
  return Math.min(1_000, Math.ceil(statementTimeoutMs / 2));
}

const LOCK_NOT_AVAILABLE = '55P03';

/** True when a statement failed because it waited too long for a lock. Nothing of its transaction was written. */
export function isLockTimeout(error: unknown): boolean {
  return sqlState(error) === LOCK_NOT_AVAILABLE;
}

/**
 * True when the lock is that of a table. The error has a context (`while updating tuple (0,1) in relation …`) for a
 * row, an index entry or a lock taken in a function, but none for a table, which is locked before the statement begins.
 */
export function isTableLockTimeout(error: unknown): boolean {
  if (!isLockTimeout(error)) return false;
  const source = (error as { driverError?: unknown }).driverError ?? error;
  return (source as { where?: string }).where === undefined;
}
