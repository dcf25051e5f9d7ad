import { lockKey } from '../../database/advisory-locks.js';
import { param, type Sql, sql } from '../../sql/index.js';
import { type CollectionShape, tableOf } from '../collection-shape.js';
import { versionCheck } from '../statement.js';
import { type Selection, selects } from './selection.js';

/**
 * Makes upserts of the same key, and bulk upserts, wait until this transaction ends. The lock needs a statement of its
 * own before the upsert, because a statement that waits for a lock keeps its older snapshot.
 */
export function keyLockStatement(shape: CollectionShape, key: string): Sql {
  const ofKey = lockKey('upsertKey', param(`${shape.id} ${key}`, 'text'));
  return sql`SELECT pg_advisory_xact_lock_shared(${allKeys(shape)}), pg_advisory_xact_lock(${ofKey})`;
}

/**
 * Makes all other upserts of the collection wait for a bulk upsert. A lock for each of its keys would be too many
 * locks.
 */
export function allKeysLockStatement(shape: CollectionShape): Sql {
  return sql`SELECT pg_advisory_xact_lock(${allKeys(shape)})`;
}

function allKeys({ id }: CollectionShape): Sql {
  return lockKey('upserts', sql`${param(id, 'uuid')}::text`);
}

/** One row: `found`, true when a selected record exists. No row when the version check failed. */
export function existsStatement(shape: CollectionShape, selection: Selection): Sql {
  const found = sql`SELECT 1 FROM ${tableOf(shape)} t WHERE ${selects(shape, selection)}`;
  return sql`SELECT EXISTS (${found}) AS found FROM (${versionCheck(shape)}) f`;
}
