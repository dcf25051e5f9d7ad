import { literal, param, type Sql, sql } from '../../../base/sql/index.js';
import type { Rows } from '../../../platform/database/statements.js';
import { COLUMN_TYPES } from '../../columns/index.js';
import type { Filter } from '../../filter/index.js';
import type { CollectionShape } from '../collection-shape.js';
import { ResultColumns } from '../result-columns.js';
import { collectionId, type Read, unlessLong, versionCheck } from '../statement.js';
import { changesTable, type FeedOffset, feedsTable } from './change-feed.js';
import { STORED_BYTES } from './replaced-values.js';
import { selectedChanges } from './selected-changes.js';

/** The changes of a feed to read: after one position, up to a position that `frontierStatement` has found. */
export interface ChangeQuery {
  readonly feed: string;
  readonly after: FeedOffset;
  readonly upTo: FeedOffset;
  readonly filter: Filter | undefined;
  /** True to select also the changes after which the filter no longer matches. Restricted callers always get these. */
  readonly left?: boolean | undefined;
  /** Maximum of changes that the filter selects. */
  readonly limit: number;
  /** Maximum of changes that the filter examines; at most and by default `MAX_EXAMINED`. */
  readonly examined?: number | undefined;
}

/** Changes that one statement examines when it has a filter. */
export const MAX_EXAMINED = 1_000;
/** Maximum size of the records that one statement examines. A single larger record is still examined. */
const MAX_BYTES = literal(4 * 1024 * 1024);

/** Types of changes. The triggers of a feed write these words. */
export const CHANGE_TYPES = ['inserted', 'updated', 'deleted', 'expired'] as const;

/** What changes are called after which a follower no longer gets the record. */
export const LEFT = 'left';

/** What a follower can be told about a record. */
export const EVENT_TYPES = [...CHANGE_TYPES, LEFT] as const;

export type EventType = (typeof EVENT_TYPES)[number];

/** A change of one record, as a follower gets it. */
export interface Change extends FeedOffset {
  readonly type: EventType;
  readonly recordId: string;
  readonly changedAt: string;
  /** JSON text of the record as it was after the change, or last; null when the record has left. */
  readonly record: string | null;
}

/** The changes of a query that were examined. */
interface ExaminedChanges {
  /** Those that the filter selects, in order. */
  readonly changes: readonly Change[];
  /** The last one examined; undefined when all changes of the query were examined. */
  readonly last: FeedOffset | undefined;
}

/** A change that was examined. Null, except `xid` and `seq`, when the filter does not select it. */
interface ChangeRow {
  readonly record: string | null;
  /** Null in the only row when there is no change. */
  readonly xid: number | null;
  readonly seq: number;
  readonly type: EventType | null;
  readonly recordId: string;
  readonly changedAt: string;
  /** The number of changes that would be examined if their size were not limited. */
  readonly of: number;
}

/**
 * The changes after a position; the texts of their records are limited (`unlessLong`). `Stale` also when the feed was
 * replaced or no longer goes back so far.
 */
export function changesStatement(shape: CollectionShape, query: ChangeQuery): Read<ExaminedChanges> {
  const [id, check] = [collectionId(shape), versionCheck(shape)];
  const { feed, after, upTo, limit } = query;
  const from = offsetOf(after);
  const selected = selectedChanges(shape, query);
  const { shown, longest } = unlessLong(sql`s.shown`);
  const table = changesTable(shape.orgId);
  const ifSelected = (value: Sql) => sql`CASE WHEN s.matches THEN ${value} END`;
  const columns = new ResultColumns<ChangeRow>({
    record: sql`CASE WHEN s.matches AND NOT s.has_left THEN ${shown} END`,
    xid: sql`s.xid::float8`,
    seq: sql`s.seq::float8`,
    type: ifSelected(sql`CASE WHEN s.has_left THEN ${literal(LEFT)} ELSE s.type END`),
    recordId: ifSelected(sql`s.record_id::text`),
    changedAt: ifSelected(sql`s.shown_at`),
    of: sql`s.of`,
  });
  // The last OFFSET 0 keeps the filter out of the argument of the window function: PostgreSQL 15 fails when it has a
  // subquery there.
  const text = sql`
    SELECT p.* FROM (${check}) e
    JOIN ${feedsTable(shape.orgId)} f
      ON f.collection_id = ${id} AND f.feed = ${param(feed, 'uuid')} AND (f.kept_xid, f.kept_seq) <= ${from}
    LEFT JOIN LATERAL (
      SELECT ${columns.list}
      FROM (
        SELECT m.*, count(*) FILTER (WHERE m.matches) OVER (ORDER BY m.xid, m.seq) AS nth
        FROM (
          SELECT c.xid, c.seq, c.type, c.record_id, c.of, ${COLUMN_TYPES.datetime.toJson(sql`c.changed_at`)} AS shown_at,
            ${selected.record} AS shown, ${selected.matches} AS matches, ${selected.hasLeft} AS has_left
          FROM (
            SELECT * FROM (
              SELECT *, count(*) OVER ()::int AS of, row_number() OVER w AS place, sum(${STORED_BYTES}) OVER w AS total
              FROM (
                SELECT * FROM ${table} WHERE collection_id = ${id} AND (xid, seq) > ${from} AND (xid, seq) <= ${offsetOf(upTo)}
                ORDER BY xid, seq LIMIT ${literal(lookedAt(shape, query))}) r
              WINDOW w AS (ORDER BY xid, seq)) r
            WHERE place = 1 OR total <= ${MAX_BYTES}) c ${selected.join} OFFSET 0) m) s
      WHERE s.nth <= ${param(limit, 'bigint')}
      ORDER BY s.xid, s.seq) p ON true`;
  const decode = (rows: Rows) =>
    examined(
      rows.map(row => columns.object(row)),
      lookedAt(shape, query),
    );
  return { query: text, longest, decode };
}

function examined(rows: readonly ChangeRow[], most: number): ExaminedChanges {
  const changes = rows.flatMap(({ xid, seq, type, recordId, changedAt, record }) =>
    type === null ? [] : [{ xid: xid as number, seq, type, recordId, changedAt, record }],
  );
  const { xid, seq, of } = rows.at(-1)!;
  if (xid === null || (rows.length < most && rows.length === of)) return { changes, last: undefined };
  return { changes, last: { xid, seq } };
}

function offsetOf({ xid, seq }: FeedOffset): Sql {
  return sql`(${param(xid, 'bigint')}, ${param(seq, 'bigint')})`;
}

/** How many changes the statement of a query examines, if their size allows it. */
function lookedAt(
  { seen }: CollectionShape,
  { filter, limit, examined = MAX_EXAMINED }: ChangeQuery,
): number {
  return filter === undefined && seen === undefined ? Math.trunc(limit) : examined;
}
