import { identifier, literal, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import type { Rows } from '../../../platform/database/statements.js';
import { COLUMN_TYPES, type DeclarableType, id } from '../../columns/index.js';
import { compileFilter, type Filter, type ShapedColumn, type TableShape } from '../../filter/index.js';
import { AUTHOR_FIELDS, type CollectionShape } from '../collection-shape.js';
import { notUnderRules } from '../restricted/refusals.js';
import { ResultColumns } from '../result-columns.js';
import { collectionId, type Read, unlessLong, versionCheck } from '../statement.js';
import { columnsOf } from '../table-sql.js';
import { changesTable, type FeedOffset, feedsTable } from './change-feed.js';
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

/** Types of changes. The triggers of a feed write these words. */
export const CHANGE_TYPES = ['inserted', 'updated', 'deleted', 'expired'] as const;

export type ChangeType = (typeof CHANGE_TYPES)[number];

/** A change of one record. */
export interface Change extends FeedOffset {
  readonly type: ChangeType;
  readonly recordId: string;
  readonly changedAt: string;
  /** JSON text of the record as it was after the change, or last. */
  readonly record: string;
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
  readonly type: ChangeType | null;
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
  if (shape.seen !== undefined) throw notUnderRules();
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
  const ifSelected = (value: Sql) => sql`CASE WHEN s.matches THEN ${value} END`;
  const columns = new ResultColumns<ChangeRow>({
    record: ifSelected(shown),
    xid: sql`s.xid::float8`,
    seq: sql`s.seq::float8`,
    type: ifSelected(sql`s.type`),
    recordId: ifSelected(sql`s.record_id::text`),
    changedAt: ifSelected(sql`s.shown_at`),
    of: sql`s.of`,
  });
  const text = sql`
    SELECT p.* FROM (${check}) e
    JOIN ${feedsTable(shape.orgId)} f
      ON f.collection_id = ${id} AND f.feed = ${param(feed, 'uuid')} AND (f.kept_xid, f.kept_seq) <= ${from}
    LEFT JOIN LATERAL (
      SELECT ${columns.list}
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
  const decode = (rows: Rows) =>
    examined(
      rows.map(row => columns.object(row)),
      query,
    );
  return { query: text, longest, decode };
}

function examined(rows: readonly ChangeRow[], query: ChangeQuery): ExaminedChanges {
  const changes = rows.flatMap(({ xid, seq, type, recordId, changedAt, record }) =>
    type === null ? [] : [{ xid: xid as number, seq, type, recordId, changedAt, record: record as string }],
  );
  const { xid, seq, of } = rows.at(-1)!;
  if (xid === null || (rows.length < lookedAt(query) && rows.length === of))
    return { changes, last: undefined };
  return { changes, last: { xid, seq } };
}

function offsetOf({ xid, seq }: FeedOffset): Sql {
  return sql`(${param(xid, 'bigint')}, ${param(seq, 'bigint')})`;
}

/** How many changes the statement of a query examines, if their size allows it. */
function lookedAt({ filter, limit, examined = MAX_EXAMINED }: ChangeQuery): number {
  return filter === undefined ? Math.trunc(limit) : examined;
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
  const authors = new Map(
    AUTHOR_FIELDS.map(([name, column]) => [name, { sql: sql`c.${identifier(column)}`, type: id }]),
  );
  const columns = new Map(
    columnsOf(shape).map(({ name, definition: { type } }) => [name, fieldOf(name, COLUMN_TYPES[type])]),
  );
  return {
    flexible: sql`d.record`,
    column: name => system.get(name) ?? columns.get(name) ?? authors.get(name),
    textColumns: [...columns.values()].filter(({ type }) => type.name === 'text').map(column => column.sql),
  };
}

/** The cast also gives the value the column's collation. */
function fieldOf(name: string, type: DeclarableType) {
  const value = type.fromJson(sql`nullif(d.record -> ${literal(name)}, 'null'::jsonb)`);
  return { sql: sql`((${value})::${type.sqlType})`, type };
}
