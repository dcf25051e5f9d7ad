import { compileFilter, type Filter, type SqlParameters } from '../filter/index.js';
import { ALIVE, type CollectionShape, tableOf, tableShape } from './collection-shape.js';
import { recordTag } from './record-tag.js';
import type { Done } from './statement.js';

/**
 * Which records a write is about: one by its id, perhaps only while it has one of these entity tags; all that a filter matches, where more than `atMost` of them let nothing be
 * written; or the oldest that a filter matches.
 */
export type Selection =
  | { readonly recordId: string; readonly tags?: readonly string[] | undefined }
  | { readonly filter: Filter; readonly atMost: number | undefined }
  | { readonly filter: Filter; readonly oldest: true };

/** SQL that is true for the selected records, which a client may see; the table is `t`. */
export function selects(shape: CollectionShape, selection: Selection, parameters: SqlParameters): string {
  if (!('recordId' in selection))
    return `${ALIVE} AND (${compileFilter(selection.filter, tableShape(shape), parameters)})`;
  const { recordId, tags } = selection;
  const tagged =
    tags === undefined ? '' : ` AND ${recordTag(shape)} = ANY(${parameters.add(tags, 'text[]')})`;
  return `${ALIVE} AND t._id = ${parameters.add(recordId, 'uuid')}${tagged}`;
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

/** What a write to the CTE `matched` came to, with the records written in the CTE `written`. `bound`: of `withinBound`. */
export function isDone(selection: Selection, bound: string): Done {
  const counts = {
    matched: '(SELECT count(*) FROM matched)',
    written: '(SELECT count(*) FROM written)',
    id: 'oldest' in selection ? '(SELECT _id FROM matched)' : 'NULL',
  };
  const done =
    'atMost' in selection ? `EXISTS (SELECT FROM fence) AND ${bound}` : 'EXISTS (SELECT FROM matched)';
  return { done, counts };
}
