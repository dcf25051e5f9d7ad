import { type CollectionShape, tableOf } from './collection-shape.js';
import { type Selection, selects } from './selection.js';
import { FENCE, fencedParameters, type Statement } from './statement.js';

/**
 * Lets one upsert of a key go on at a time, until its transaction ends. A statement of its own, to go first: the snapshot of
 * one that waits for a lock is older than what it waits for.
 */
export function keyLockStatement(shape: CollectionShape, key: string): Statement {
  return {
    text: 'SELECT pg_advisory_xact_lock(hashtextextended($1::text, 2))',
    values: [`${shape.id} ${key}`],
  };
}

/** One row: `found`, true when a selected record exists; none when the fence did not hold. */
export function existsStatement(shape: CollectionShape, selection: Selection): Statement {
  const parameters = fencedParameters(shape);
  const condition = selects(shape, selection, parameters);
  const text = `SELECT EXISTS (SELECT FROM ${tableOf(shape)} t WHERE ${condition}) AS found FROM (${FENCE}) f`;
  return { text, values: parameters.values };
}
