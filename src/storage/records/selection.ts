import { compileFilter, type Filter } from '../../filter/index.js';
import { type Cte, NOTHING, param, type Sql, sql } from '../../sql/index.js';
import { ALIVE, type CollectionShape, tableOf, tableShape } from '../collection-shape.js';
import type { Done } from '../statement.js';
import { recordTag } from './row-json.js';

/**
 * Which records a write is about: one by its id, perhaps only while it has one of these entity tags; all that a filter matches, where more than `atMost` of them let nothing be
 * written; or the oldest that a filter matches.
 */
export type Selection =
  | { readonly recordId: string; readonly tags?: readonly string[] | undefined }
  | { readonly filter: Filter; readonly atMost: number | undefined }
  | { readonly filter: Filter; readonly oldest: true };

/** SQL that is true for the selected records, which a client may see; the table is `t`. */
export function selects(shape: CollectionShape, selection: Selection): Sql {
  if (!('recordId' in selection))
    return sql`${ALIVE} AND (${compileFilter(selection.filter, tableShape(shape))})`;
  const { recordId, tags } = selection;
  const chosen = sql`${ALIVE} AND t._id = ${param(recordId, 'uuid')}`;
  return tags === undefined ? chosen : sql`${chosen} AND ${recordTag(shape)} = ANY(${param(tags, 'text[]')})`;
}

/**
 * SQL of the ids of the selected records, locked, where the version check `current` has its row. Always in the order of ids, so
 * that two writes wait for each other in one direction only. Of too many records only one more than allowed is locked.
 */
export function lockedIds(shape: CollectionShape, selection: Selection, current: Cte): Sql {
  const most = 'oldest' in selection ? 1 : 'atMost' in selection ? selection.atMost : undefined;
  const spare = 'oldest' in selection ? 0 : 1;
  const order = 'recordId' in selection ? NOTHING : sql`ORDER BY t._id`;
  const limit = most === undefined ? NOTHING : sql`LIMIT ${param(most + spare, 'bigint')}`;
  return sql`SELECT t._id FROM ${current}, ${tableOf(shape)} t WHERE ${selects(shape, selection)}
    ${order} ${limit} FOR UPDATE OF t`;
}

/** SQL that is true unless `matched` holds more records than allowed. */
export function withinBound(selection: Selection, matched: Cte): Sql {
  if (!('atMost' in selection) || selection.atMost === undefined) return sql`true`;
  return sql`(SELECT count(*) FROM ${matched}) <= ${param(selection.atMost, 'bigint')}`;
}

/** What a write to the `matched` records came to, with those `written`. `bound`: of `withinBound`. */
export function isDone(
  selection: Selection,
  {
    current,
    matched,
    written,
    bound,
  }: Readonly<Record<'current' | 'matched' | 'written', Cte>> & { bound: Sql },
): Done {
  const counts = {
    matched: sql`(SELECT count(*) FROM ${matched})`,
    written: sql`(SELECT count(*) FROM ${written})`,
    id: 'oldest' in selection ? sql`(SELECT _id FROM ${matched})` : sql`NULL`,
  };
  const done =
    'atMost' in selection
      ? sql`EXISTS (SELECT FROM ${current}) AND ${bound}`
      : sql`EXISTS (SELECT FROM ${matched})`;
  return { done, counts };
}
