import { type CollectionShape, tableOf } from './collection-shape.js';
import { returnedCte } from './quota.js';
import { isDone, lockedIds, type Selection, withinBound } from './selection.js';
import { type Carried, carriedCtes, claimed, FENCE, fencedParameters, type Statement } from './statement.js';

/**
 * Deletes the selected records with the audit event and gives their room back. One row: how many fences held, records
 * matched, and records deleted.
 */
export function deleteStatement(shape: CollectionShape, selection: Selection, carried: Carried): Statement {
  const parameters = fencedParameters(shape);
  const add = parameters.add.bind(parameters);
  const bound = withinBound(selection, parameters);
  const text = `
    WITH fence AS (${FENCE}${claimed(carried, add)}),
    matched AS (${lockedIds(shape, selection, parameters)}),
    written AS (
      DELETE FROM ${tableOf(shape)} t USING matched m
      WHERE t._id = m._id AND ${bound} RETURNING t._id),
    ${returnedCte(shape, 'written', add)},
    ${carriedCtes(carried, 'written', () => isDone(selection, bound), add)}
    SELECT (SELECT count(*) FROM fence)::int, (SELECT count(*) FROM matched)::int, (SELECT count(*) FROM written)::int`;
  return { text, values: parameters.values };
}

/** A batch of expired records. `waits`: for others that remove them, too; else those are passed over. */
export interface ExpiredBatch {
  readonly limit: number;
  readonly waits: boolean;
}

/**
 * Removes a batch of expired records with its audit event and gives their room back. One row: how many fences held, and
 * records removed.
 */
export function expireStatement(
  shape: CollectionShape,
  { limit, waits }: ExpiredBatch,
  { event }: Carried,
): Statement {
  const parameters = fencedParameters(shape);
  const add = parameters.add.bind(parameters);
  const table = tableOf(shape);
  const text = `
    WITH fence AS (${FENCE}),
    written AS (
      DELETE FROM ${table} t USING fence
      WHERE t._id IN (
        SELECT _id FROM ${table} WHERE expires_at <= statement_timestamp()
        ${waits ? 'ORDER BY expires_at, _id' : ''} LIMIT ${Math.trunc(limit)} FOR UPDATE ${waits ? '' : 'SKIP LOCKED'})
      RETURNING t._id),
    ${returnedCte(shape, 'written', add)},
    event AS (${event('written', add)})
    SELECT (SELECT count(*) FROM fence)::int, (SELECT count(*) FROM written)::int`;
  return { text, values: parameters.values };
}
