import { compileFilter, type Filter, type SqlParameters } from '../filter/index.js';
import { ALIVE, type CollectionShape, tableOf, tableShape } from './collection-shape.js';

/**
 * Which records a write is about: one by its id; all that a filter matches, where more than `atMost` of them let nothing be
 * written; or the oldest that a filter matches.
 */
export type Selection =
  | { readonly recordId: string }
  | { readonly filter: Filter; readonly atMost: number | undefined }
  | { readonly filter: Filter; readonly oldest: true };

/** SQL that is true for the selected records, which a client may see; the table is `t`. */
export function selects(shape: CollectionShape, selection: Selection, parameters: SqlParameters): string {
  const condition =
    'recordId' in selection
      ? `t._id = ${parameters.add(selection.recordId, 'uuid')}`
      : `(${compileFilter(selection.filter, tableShape(shape), parameters)})`;
  return `${ALIVE} AND ${condition}`;
}

/**
 * SQL of the ids of the selected records, locked; expects a CTE `fence`. Always in the order of ids, so that two writes
 * wait for each other in one direction only. Of too many records only one more than allowed is locked.
 */
export function lockedIds(shape: CollectionShape, selection: Selection, parameters: SqlParameters): string {
  const most = 'oldest' in selection ? 1 : 'atMost' in selection ? selection.atMost : undefined;
  const spare = 'oldest' in selection ? 0 : 1;
  return `SELECT t._id FROM fence, ${tableOf(shape)} t WHERE ${selects(shape, selection, parameters)}
    ${'recordId' in selection ? '' : 'ORDER BY t._id'}
    ${most === undefined ? '' : `LIMIT ${parameters.add(most + spare, 'bigint')}`} FOR UPDATE OF t`;
}

/** SQL that is true unless the CTE `matched` holds more records than allowed. */
export function withinBound(selection: Selection, parameters: SqlParameters): string {
  if (!('atMost' in selection) || selection.atMost === undefined) return 'true';
  return `(SELECT count(*) FROM matched) <= ${parameters.add(selection.atMost, 'bigint')}`;
}
