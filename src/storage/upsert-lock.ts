import { type CollectionShape, tableOf } from './collection-shape.js';
import { type Selection, selects } from './selection.js';
import { FENCE, fencedParameters, type Statement } from './statement.js';

/**
 * Lets one upsert of a key go on at a time, until its transaction ends, and none while a bulk upsert does. A statement of
 * its own, to go first: the snapshot of one that waits for a lock is older than what it waits for.
 */
export function keyLockStatement(shape: CollectionShape, key: string): Statement {
  return {
    text: `SELECT pg_advisory_xact_lock_shared(${ALL_KEYS}), pg_advisory_xact_lock(hashtextextended($2::text, 2))`,
    values: [shape.id, `${shape.id} ${key}`],
  };
}

/** Lets one bulk upsert go on at a time, and no other upsert beside it: a lock for each of its keys would be too many. */
export function allKeysLockStatement(shape: CollectionShape): Statement {
  return { text: `SELECT pg_advisory_xact_lock(${ALL_KEYS})`, values: [shape.id] };
}

const ALL_KEYS = 'hashtextextended($1::uuid::text, 3)';

/** One row: `found`, true when a selected record exists; none when the fence did not hold. */
export function existsStatement(shape: CollectionShape, selection: Selection): Statement {
  const parameters = fencedParameters(shape);
  const condition = selects(shape, selection, parameters);
  const text = `SELECT EXISTS (SELECT 1 FROM ${tableOf(shape)} t WHERE ${condition}) AS found FROM (${FENCE}) f`;
  return { text, values: parameters.values };
}
