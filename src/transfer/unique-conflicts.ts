import type { Collection } from '../collections/collection.entity.js';
import { constraintOf, sqlState } from '../kernel/sql-state.js';
import { uniqueNamed } from '../storage/table.js';
import type { RowError } from './row-errors.js';

const DEADLOCK = '40P01';
const NOT_UNIQUE = '23505';
/** What one row alone can be refused for: a unique, and a value too long for an index. */
const ROW_STATES = new Set([NOT_UNIQUE, '54000']);

/** The columns of the unique that a statement broke, if it is that. */
export function brokenUnique(error: unknown, collection: Collection): readonly string[] | undefined {
  if (sqlState(error) !== NOT_UNIQUE) return undefined;
  return uniqueNamed(collection, collection.uniques, constraintOf(error) ?? '')?.properties;
}

/** True for what is nobody's fault: a deadlock, or a key that another upsert has just inserted. */
export function isPassing(error: unknown, collection: Collection, key: string | undefined): boolean {
  if (sqlState(error) === DEADLOCK) return true;
  return key !== undefined && brokenUnique(error, collection)?.join() === key;
}

/** True for what is the fault of single rows. */
export function isOfRows(error: unknown): boolean {
  return ROW_STATES.has(sqlState(error) ?? '');
}

/** What is said of the one row that the database refused. */
export function rowRefusal(row: number, error: unknown, collection: Collection): RowError {
  const unique = brokenUnique(error, collection);
  if (unique !== undefined) return conflict(row, unique);
  return { row, column: null, problem: 'a value is too long for an index on its column' };
}

export function conflict(row: number, unique: readonly string[]): RowError {
  return { row, column: unique[0] ?? null, problem: `${unique.join(', ')} must be unique` };
}
