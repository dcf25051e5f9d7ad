import { literal, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import { COLUMN_TYPES, type DeclarableType, id } from '../../columns/index.js';
import { compileFilter, type Filter, type ShapedColumn, type TableShape } from '../../filter/index.js';
import { type CollectionShape } from '../collection-shape.js';
import { collectionId, type Statement, unlessLong, versionCheck } from '../statement.js';
import { columnsOf } from '../table-sql.js';
import { changesTable, type FeedOffset, feedLock, feedsTable, newest } from './change-feed.js';
import { isErased } from './erase-changes.js';

/** The changes of a feed to read: after one position, up to a position that `frontierStatement` has found. */
export interface ChangeQuery {
  readonly feed: string;
  readonly after: FeedOffset;
  readonly upTo: FeedOffset;
  readonly filter: Filter | undefined;
  /** Maximum of changes that the filter selects. */
  readonly limit: number;
  /** Maximum of changes that the filter examines; at most and by default `MAX_EXAMINED`. */
  readonly examined?: number | undefined;
}

/** Changes that one statement examines when it has a filter. */
export const MAX_EXAMINED = 1_000;
/** Maximum size of the records that one statement examines. A single larger record is still examined. */
const MAX_BYTES = literal(4 * 1024 * 1024);

/**
 * How far the feed is settled: no change will ever be added at or before that position. One row: `[feed, kept_xid,
 * kept_seq, idle, newest_xid, newest_seq, running_xid]`. `feed` is null when the collection is not followed; `idle` is
 * true when no client has asked for an hour. No row when the version check failed.
 *
 * The newest change that this statement sees is settled, unless running transactions may have made other changes. Those
 * transactions hold the feed's lock, and their changes have positions at or after their own xid. Transactions that take
 * the lock later get positions after all changes seen here. Transactions on other collections delay nothing, however
 * old they are.
 */
export function frontierStatement(shape: CollectionShape): Statement {
  const { orgId } = shape;
  const [id, check] = [collectionId(shape), versionCheck(shape)];
  const query = sql`
    WITH ${LOCKS}
    SELECT f.feed, f.kept_xid::float8, f.kept_seq::float8, f.asked_at < now() - interval '1 hour',
      n.xid::float8, n.seq::float8, h.xid::float8
    FROM (${check}) e
    LEFT JOIN ${feedsTable(orgId)} f ON f.collection_id = ${id}
    LEFT JOIN LATERAL (${newest(orgId, id)}) n ON true
    LEFT JOIN LATERAL (${oldestHolder(id)}) h ON true`;
  return { query };
}

/**
 * How far the feeds of several collections are settled, as in `frontierStatement`. Rows `{id, xid, seq, running}`: the
 * newest change, and the oldest transaction that may still make others. The locks of the server are read once for all
 * collections.
 */
export function settledStatement(orgId: string, collectionIds: readonly string[]): Sql {
  const id = sql`c.id`;
  return sql`
    WITH ${LOCKS}
    SELECT c.id, n.xid::float8, n.seq::float8, h.xid::float8 AS running
    FROM unnest(${param(collectionIds, 'uuid[]')}) c(id)
    JOIN LATERAL (${newest(orgId, id)}) n ON true
    LEFT JOIN LATERAL (${oldestHolder(id)}) h ON true`;
}

const LOCKS = sql`locks AS MATERIALIZED (
  SELECT * FROM pg_locks WHERE locktype IN ('advisory', 'transactionid') AND granted)`;

/**
 * The oldest xid among the holders of a feed's lock. pg_locks shows the lock's bigint key as two halves, and a
 * `transactionid` as its lower 32 bits; the xid is the nearest one to `next` with these bits.
 */
const oldestHolder = (id: Sql) => sql`
  SELECT min(s.next + (x.transactionid::text::bigint - s.next % 4294967296 + 6442450944) % 4294967296 - 2147483648) AS xid
  FROM (SELECT pg_snapshot_xmax(pg_current_snapshot())::text::bigint AS next, ${feedLock(id)} AS key) s
  JOIN locks l ON l.locktype = 'advisory' AND l.objsubid = 1
    AND l.classid::bigint = ((s.key >> 32) & 4294967295) AND l.objid::bigint = (s.key & 4294967295)
    AND l.database = (SELECT oid FROM pg_database WHERE datname = current_database())
  JOIN locks x ON x.locktype = 'transactionid' AND x.mode = 'ExclusiveLock' AND x.virtualtransaction = l.virtualtransaction`;

/**
 * The changes after a position, in order. Rows: `[record, xid, seq, type, record_id, changed_at, of]`. The record
 * (`unlessLong`), type, id and time are null when the filter does not select the change; `of` is the number of changes
 * that would be examined if their size were not limited. One row of nulls when there is no change. No row when the version check failed, or when the feed was
 * replaced or no longer goes back so far.
 */
export function changesStatement(shape: CollectionShape, query: ChangeQuery): Statement {
  const [id, check] = [collectionId(shape), versionCheck(shape)];
  const { feed, after, upTo, filter, limit } = query;
  const from = offsetOf(after);
  // An erased record may have matched the filter before. The change of its deletion contains only the id.
  const matches =
    filter === undefined ? sql`true` : sql`(${isErased(sql`d.record`)} OR (${changesFilter(shape, filter)}))`;
  // OFFSET 0: the record is parsed once, and not again for each condition. The one below keeps the filter out of the
  // argument of the window function: PostgreSQL 15 fails when it has a subquery there.
  const record =
    filter === undefined ? NOTHING : sql`CROSS JOIN LATERAL (SELECT ${CHANGED_RECORD} AS record OFFSET 0) d`;
  const { shown, longest } = unlessLong(sql`s.record`);
  const table = changesTable(shape.orgId);
  const text = sql`
    SELECT p.* FROM (${check}) e
    JOIN ${feedsTable(shape.orgId)} f
      ON f.collection_id = ${id} AND f.feed = ${param(feed, 'uuid')} AND (f.kept_xid, f.kept_seq) <= ${from}
    LEFT JOIN LATERAL (
      SELECT CASE WHEN s.matches THEN ${shown} END, s.xid::float8, s.seq::float8,
        CASE WHEN s.matches THEN s.type END, CASE WHEN s.matches THEN s.record_id::text END,
        CASE WHEN s.matches THEN s.shown_at END, s.of
      FROM (
        SELECT m.*, count(*) FILTER (WHERE m.matches) OVER (ORDER BY m.xid, m.seq) AS nth
        FROM (
          SELECT c.*, ${COLUMN_TYPES.datetime.toJson(sql`c.changed_at`)} AS shown_at, coalesce(${matches}, false) AS matches
          FROM (
            SELECT * FROM (
              SELECT *, count(*) OVER ()::int AS of, row_number() OVER w AS place, sum(octet_length(record)) OVER w AS total
              FROM (
                SELECT * FROM ${table} WHERE collection_id = ${id} AND (xid, seq) > ${from} AND (xid, seq) <= ${offsetOf(upTo)}
                ORDER BY xid, seq LIMIT ${literal(lookedAt(query))}) r
              WINDOW w AS (ORDER BY xid, seq)) r
            WHERE place = 1 OR total <= ${MAX_BYTES}) c ${record} OFFSET 0) m) s
      WHERE s.nth <= ${param(limit, 'bigint')}
      ORDER BY s.xid, s.seq) p ON true`;
  return { query: text, longest };
}

function offsetOf({ xid, seq }: FeedOffset): Sql {
  return sql`(${param(xid, 'bigint')}, ${param(seq, 'bigint')})`;
}

/** How many changes the statement of a query examines, if their size allows it. */
export function lookedAt({ filter, limit, examined = MAX_EXAMINED }: ChangeQuery): number {
  return filter === undefined ? Math.trunc(limit) : examined;
}

/** Rows: `{id, xid, seq}` for each of the collections that has a change: the position of the newest one. */
export function newestStatement(orgId: string, collectionIds: readonly string[]): Sql {
  return sql`
    SELECT c.id, n.xid::float8, n.seq::float8
    FROM unnest(${param(collectionIds, 'uuid[]')}) c(id) JOIN LATERAL (${newest(orgId, sql`c.id`)}) n ON true`;
}

/** SQL of the whole record of a change `c`, as it was at the time of the change, in the schema of that time. */
const CHANGED_RECORD: Sql = sql`c.record::jsonb`;

/** SQL of a filter on the records of changes. Throws 400 for a value that the type of a column refuses. */
export function changesFilter(shape: CollectionShape, filter: Filter): Sql {
  return compileFilter(filter, changeShape(shape));
}

/**
 * A change as the filter language needs it: the columns that are declared now, read from `d.record`. A value that does
 * not fit its column was written before the column had its type, and counts as null.
 */
function changeShape(shape: CollectionShape): TableShape {
  const instant = (name: string) => fieldOf(name, COLUMN_TYPES.datetime);
  const system = new Map<string, ShapedColumn>([
    ['_id', { sql: sql`c.record_id`, type: id }],
    ['created_at', instant('created_at')],
    ['updated_at', instant('updated_at')],
  ]);
  const columns = new Map(
    columnsOf(shape).map(({ name, definition: { type } }) => [name, fieldOf(name, COLUMN_TYPES[type])]),
  );
  return {
    flexible: sql`d.record`,
    column: name => system.get(name) ?? columns.get(name),
    textColumns: [...columns.values()].filter(({ type }) => type.name === 'text').map(column => column.sql),
  };
}

/** The cast also gives the value the column's collation. */
function fieldOf(name: string, type: DeclarableType) {
  const value = type.fromJson(sql`nullif(d.record -> ${literal(name)}, 'null'::jsonb)`);
  return { sql: sql`((${value})::${type.sqlType})`, type };
}
