import { isGone, sqlState } from '../../base/kernel/sql-state.js';

/** The version check of a statement failed, because the collection has changed since. The statement did nothing. */
export class Stale extends Error {
  constructor() {
    super('the collection has changed since the statement was made');
  }
}

/** A column is missing or has another type: the collection changed after the statement was made. */
const STALE_STATES = new Set(['42703', '42804']);

/** True for the error of a stale statement. */
export function isStale(error: unknown): boolean {
  return error instanceof Stale || isGone(error) || STALE_STATES.has(sqlState(error) ?? '');
}

/** For `catch`: the value to use when the statement was stale. Other errors are thrown again. */
export function ifStale<T>(value: () => T): (error: unknown) => T {
  return error => {
    if (isStale(error)) return value();
    throw error;
  };
}
