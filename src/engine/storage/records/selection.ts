import { type Cte, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import type { TagCondition } from '../../../platform/http/entity-tags.js';
import { compileFilter, type Filter } from '../../filter/index.js';
import { ALIVE, type CollectionShape } from '../collection-shape.js';
import type { Done } from '../statement.js';
import { tableOf, tableShape } from '../table-sql.js';
import { tagSatisfies } from './row-json.js';

/**
 * The records that a write applies to: one by its id, optionally only while its entity tag satisfies a condition; all that a
 * filter matches, where nothing is written if there are more than `atMost` or if they are not `exactly` those with this
 * fingerprint; or the oldest that a filter matches.
 */
export type Selection =
  | { readonly recordId: string; readonly tag?: TagCondition | undefined }
  | { readonly filter: Filter; readonly atMost: number | undefined; readonly exactly?: string | undefined }
  | { readonly filter: Filter; readonly oldest: true };

/** SQL that is true for the selected records that have not expired; the table is `t`. */
export function selects(shape: CollectionShape, selection: Selection): Sql {
  const { writing } = shape;
  if (writing === undefined) return selectsFrom(shape, selection);
  // The first condition finds the records by an index. The second holds for a record as it is when it has been locked.
  const found =
    'recordId' in selection
      ? sql`t._id = ${param(selection.recordId, 'uuid')}`
      : sql`t._id IN (SELECT t._id FROM ${tableOf(writing.targets)} t WHERE ${selectsFrom(writing.targets, selection)})`;
  return sql`${found} AND ${writing.isTarget(targets => selectsFrom(targets, selection))}`;
}

function selectsFrom(shape: CollectionShape, selection: Selection): Sql {
  if (!('recordId' in selection))
    return sql`${ALIVE} AND (${compileFilter(selection.filter, tableShape(shape))})`;
  const { recordId, tag } = selection;
  const chosen = sql`${ALIVE} AND t._id = ${param(recordId, 'uuid')}`;
  return tag === undefined ? chosen : sql`${chosen} AND ${tagSatisfies(shape, tag)}`;
}

/**
 * The order of ids, in a form that no index has. Otherwise PostgreSQL may read the whole table in the order of its primary
 * key up to the limit, when it expects many more records to match than do.
 */
const BY_ID = sql`coalesce(t._id, t._id)`;

/**
 * SQL of the ids of the selected records, which are locked. It returns no row when the version check `current` failed.
 * Records are always locked in the order of ids, so that two writes cannot deadlock. When there are too many, only one
 * more than allowed is locked.
 */
export function lockedIds(shape: CollectionShape, selection: Selection, current: Cte): Sql {
  const most = 'oldest' in selection ? 1 : 'atMost' in selection ? selection.atMost : undefined;
  const spare = 'oldest' in selection ? 0 : 1;
  const order = 'recordId' in selection ? NOTHING : sql`ORDER BY ${BY_ID}`;
  const limit = most === undefined ? NOTHING : sql`LIMIT ${param(most + spare, 'bigint')}`;
  const held = shape.writing?.held === undefined ? NOTHING : sql`, ${shape.writing.held} AS held`;
  return sql`SELECT t._id${held} FROM ${current}, ${tableOf(shape)} t WHERE ${selects(shape, selection)}
    ${order} ${limit} FOR UPDATE OF t`;
}

/** SQL that is true unless `matched` holds more records than allowed, or others. */
export function withinBound(selection: Selection, matched: Cte): Sql {
  if (!('atMost' in selection)) return sql`true`;
  const { atMost, exactly } = selection;
  const few =
    atMost === undefined ? sql`true` : sql`(SELECT count(*) FROM ${matched}) <= ${param(atMost, 'bigint')}`;
  if (exactly === undefined) return few;
  return sql`${few} AND (SELECT ${fingerprintOf(sql`_id`)} FROM ${matched}) = ${param(exactly, 'text')}`;
}

/** SQL of an aggregate that is the same for the same ids in any order, and for others practically never. */
export function fingerprintOf(id: Sql): Sql {
  return fingerprintOfHashes(sql`uuid_hash_extended(${id}, 0)`);
}

/** As `fingerprintOf`, of rows whose hash of 64 bits is given. */
export function fingerprintOfHashes(hash: Sql): Sql {
  return sql`coalesce(sum(${hash}), 0)::text`;
}

/** The result of a write: records `matched` and `written`. `bound` is the result of `withinBound`. */
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
