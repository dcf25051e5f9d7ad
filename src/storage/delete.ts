import { type CollectionShape, tableOf } from './collection-shape.js';
import { isDone, lockedIds, type Selection, withinBound } from './selection.js';
import { type Carried, carriedCtes, claimed, FENCE, fencedParameters, type Statement } from './statement.js';

/** Deletes the selected records with the audit event. One row: how many fences held, records matched, and records deleted. */
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
    ${carriedCtes(carried, 'written', () => isDone(selection, bound), add)}
    SELECT (SELECT count(*) FROM fence)::int, (SELECT count(*) FROM matched)::int, (SELECT count(*) FROM written)::int`;
  return { text, values: parameters.values };
}

/** Removes a batch of expired records with its audit event. One row: how many fences held, and records removed. */
export function expireStatement(shape: CollectionShape, { event }: Carried): Statement {
  const parameters = fencedParameters(shape);
  const table = tableOf(shape);
  const text = `
    WITH fence AS (${FENCE}),
    written AS (
      DELETE FROM ${table} t USING fence
      WHERE t._id IN (SELECT _id FROM ${table} WHERE expires_at <= statement_timestamp() LIMIT 5000 FOR UPDATE SKIP LOCKED)
      RETURNING t._id),
    event AS (${event('written', parameters.add.bind(parameters))})
    SELECT (SELECT count(*) FROM fence)::int, (SELECT count(*) FROM written)::int`;
  return { text, values: parameters.values };
}
