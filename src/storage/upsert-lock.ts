import { param, type Sql, sql } from '../sql/index.js';
import { type CollectionShape, tableOf } from './collection-shape.js';
import { type Selection, selects } from './selection.js';
import { versionCheck } from './statement.js';

/**
 * Lets one upsert of a key go on at a time, until its transaction ends, and none while a bulk upsert does. A statement of
 * its own, to go first: the snapshot of one that waits for a lock is older than what it waits for.
 */
export function keyLockStatement(shape: CollectionShape, key: string): Sql {
  const ofKey = sql`hashtextextended(${param(`${shape.id} ${key}`, 'text')}, 2)`;
  return sql`SELECT pg_advisory_xact_lock_shared(${allKeys(shape)}), pg_advisory_xact_lock(${ofKey})`;
}

/** Lets one bulk upsert go on at a time, and no other upsert beside it: a lock for each of its keys would be too many. */
export function allKeysLockStatement(shape: CollectionShape): Sql {
  return sql`SELECT pg_advisory_xact_lock(${allKeys(shape)})`;
}

function allKeys({ id }: CollectionShape): Sql {
  return sql`hashtextextended(${param(id, 'uuid')}::text, 3)`;
}

/** One row: `found`, true when a selected record exists; none when the version check did not hold. */
export function existsStatement(shape: CollectionShape, selection: Selection): Sql {
  const found = sql`SELECT 1 FROM ${tableOf(shape)} t WHERE ${selects(shape, selection)}`;
  return sql`SELECT EXISTS (${found}) AS found FROM (${versionCheck(shape)}) f`;
}
