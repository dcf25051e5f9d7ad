import {
  anchorHolds,
  anyTrue,
  compileFilter,
  dividedAt,
  type Filter,
  isAnchor,
  keyOf,
  orderBy,
  type Position,
  type Projection,
  positionOf,
  rangesAfter,
  reversed,
  type Sort,
  type SortKey,
  shortPosition,
  sortKeys,
} from '../../filter/index.js';
import type { JsonValue } from '../../kernel/json.js';
import { joined, literal, NOTHING, param, type Sql, sql } from '../../sql/index.js';
import { alive, type CollectionShape, flexibleOf, tableOf, tableShape } from '../collection-shape.js';
import { type Statement, unlessLong, versionCheck } from '../statement.js';
import { previewJson, recordTag, rowJson, type TopLevelFields } from './row-json.js';

/** The records of a collection to read, their order, and the fields to show. */
export interface RecordQuery {
  readonly filter: Filter | undefined;
  readonly sort: Sort;
  readonly projection: Projection | undefined;
  /** Maximum of records. It is part of the text, because the planner must know it. */
  readonly limit: number;
  readonly offset: number;
  /** Only records after this position (keyset pagination). */
  readonly after: Position | undefined;
  /** Only records whose value of the first sort field is not before this one. */
  readonly at?: JsonValue | undefined;
  /** True when an index begins with the first sort field. Then a page that needs two ranges of it reads both. */
  readonly isIndexed?: boolean;
  /** True: the last records come first, in the opposite order, and `after` means before. */
  readonly isBackward?: boolean;
  readonly withPosition: boolean;
  readonly withTotal: boolean;
  /** Adds each record's entity tag, in quotes, as `_etag`. */
  readonly withTags?: boolean | undefined;
  /** Cuts texts and JSON of more than so many characters (`previewJson`). */
  readonly preview?: number | undefined;
}

/**
 * A page after so many records selects the ids of its records first, often from an index alone, and then reads only
 * these records. Before that, the second step costs more than it saves.
 */
const DEEP = 1_000;

/** Parameter that stands for the record's id. */
const ANY_ID = param('any', 'uuid');
/** Reads by id are frequent, so their statement is made once for each version of a collection. */
const getStatements = new WeakMap<CollectionShape, Pick<Required<Statement>, 'query' | 'longest'>>();

/**
 * One row: the record as JSON text (`unlessLong`) and its entity tag, both null when the record does not exist. No row
 * when the version check failed.
 */
export function getStatement(shape: CollectionShape, recordId: string): Statement {
  let statement = getStatements.get(shape);
  if (statement === undefined) {
    statement = getAny(shape);
    getStatements.set(shape, statement);
  }
  const { query, longest } = statement;
  return { query, longest, open: { param: ANY_ID, value: recordId } };
}

function getAny(shape: CollectionShape): Pick<Required<Statement>, 'query' | 'longest'> {
  const record = rowJson(shape);
  const { shown, longest } = unlessLong(sql`r.record`);
  const query = sql`
    SELECT p.* FROM (${versionCheck(shape)}) f LEFT JOIN LATERAL (
      SELECT ${shown}, r.tag FROM (
        SELECT ${record.text} AS record, ${recordTag(shape)} AS tag FROM ${tableOf(shape)} t ${record.join}
        WHERE t._id = ${ANY_ID} AND ${alive(shape)} LIMIT 1) r) p ON true`;
  return { query, longest };
}

/** SQL of the records that a filter selects: `FROM … WHERE …`; the table is `t`, joined with `join`. */
export function selected(shape: CollectionShape, filter: Filter | undefined, join = NOTHING): Sql {
  return from(shape, selecting(shape, filter), join);
}

function from(shape: CollectionShape, condition: Sql, join: Sql): Sql {
  return sql`FROM ${tableOf(shape)} t ${join} WHERE ${condition}`;
}

function selecting(shape: CollectionShape, filter: Filter | undefined): Sql {
  if (filter === undefined) return alive(shape);
  return sql`${alive(shape)} AND (${compileFilter(filter, tableShape(shape))})`;
}

/**
 * Rows in order: the record as JSON text (`unlessLong`); its position as JSON text if requested; if `after` is an
 * anchor, whether its record still has the same keys; with `at`, whether there are records before it; and the total if
 * requested. One row without a record when nothing matches. No row when the version check failed.
 */
export function pageStatement(shape: CollectionShape, query: RecordQuery): Statement {
  const check = versionCheck(shape);
  const table = tableOf(shape);
  const sorted = sortKeys(query.sort, tableShape(shape));
  const keys = query.isBackward ? reversed(sorted) : sorted;
  const { shown, longest } = unlessLong(sql`r.record`);
  const condition = selecting(shape, query.filter);
  const [ranges, precedes] =
    query.at === undefined
      ? [query.after && rangesAfter(keys, query.after, table), NOTHING]
      : dividedRecords(shape, query, keys);
  const offset = query.offset === 0 ? NOTHING : sql` OFFSET ${param(query.offset, 'bigint')}`;
  const total = query.withTotal
    ? sql`, (SELECT count(*)::float8 ${from(shape, condition, NOTHING)})`
    : NOTHING;
  const holds =
    query.after !== undefined && isAnchor(query.after)
      ? sql`, ${anchorHolds(keys, query.after, table)}`
      : NOTHING;
  const [position, shownPosition] = query.withPosition
    ? [
        sql`, ${positionOf(keys)}::text AS position`,
        sql`, ${keys.length === 1 ? POSITION : shortPosition(POSITION)}`,
      ]
    : [NOTHING, NOTHING];
  // The caller has checked that the limit is a number. As a parameter it would be unknown to the planner.
  const limit = literal(Math.trunc(query.limit));
  const page = sql` ORDER BY ${orderBy(keys)} LIMIT ${limit}${offset}`;
  const isUnion = ranges !== undefined && ranges.length > 1 && query.isIndexed === true;
  // The rows of a subquery have xmin among their columns.
  const columns = isUnion ? sql`t.*` : sql`t.*, t.xmin`;
  const rows = recordTexts(shape, query, { position, columns }, join => {
    if (ranges === undefined && query.offset >= DEEP) {
      const ids = sql`SELECT t._id ${from(shape, condition, NOTHING)}${page}`;
      return sql`FROM (${ids}) ids JOIN ${table} t ON t._id = ids._id ${join} ORDER BY ${orderBy(keys)}`;
    }
    if (ranges === undefined) return sql`${from(shape, condition, join)}${page}`;
    if (!isUnion) return sql`${from(shape, sql`${condition} AND ${anyTrue(ranges)}`, join)}${page}`;
    return sql`FROM (${joined(
      ranges.map(
        range => sql`(SELECT t.*, t.xmin ${from(shape, sql`${condition} AND ${range}`, NOTHING)}${page})`,
      ),
      ' UNION ALL ',
    )}) t ${join}${page}`;
  });
  const text = sql`
    SELECT p.*${holds}${precedes}${total} FROM (${check}) f LEFT JOIN LATERAL (
      SELECT ${shown}${shownPosition} FROM (
        ${rows}) r) p ON true`;
  return { query: text, longest };
}

/** Selects the JSON text of each record of a page. Values are cut only in the records that the page shows. */
function recordTexts(
  shape: CollectionShape,
  { projection, preview, withPosition, withTags }: RecordQuery,
  { position, columns }: { readonly position: Sql; readonly columns: Sql },
  page: (join: Sql) => Sql,
): Sql {
  const fields = topLevel(projection);
  const record = preview === undefined ? rowJson(shape, fields) : previewJson(shape, fields, preview);
  const text = withTags ? taggedText(shape, record.text) : record.text;
  if (preview === undefined) return sql`SELECT ${text} AS record${position} ${page(record.join)}`;
  return sql`SELECT ${text} AS record${withPosition ? sql`, t.position` : NOTHING} FROM (
        SELECT ${columns}${position} ${page(NOTHING)}) t
        ${record.join}`;
}

/** Ranges of the records from `at` on, and a column that tells whether other records precede them. */
function dividedRecords(
  shape: CollectionShape,
  { at, sort, filter }: RecordQuery,
  keys: readonly SortKey[],
): readonly [readonly Sql[] | undefined, Sql] {
  const value = keyOf(sort[0] as Sort[number], at as JsonValue, tableShape(shape));
  const { fromHere, before } = dividedAt(keys[0] as SortKey, value);
  const others = from(shape, sql`${selecting(shape, filter)} AND ${before}`, NOTHING);
  return [fromHere, sql`, EXISTS (SELECT ${others})`];
}

/** The text of a record with its entity tag. `OFFSET 0` keeps PostgreSQL from building the text twice. */
function taggedText(shape: CollectionShape, text: Sql): Sql {
  return sql`(SELECT left(w.text, -1) || CASE WHEN w.text = '{}' THEN '' ELSE ',' END || '"_etag":"\\"' || ${recordTag(shape)} || '\\""}'
    FROM (SELECT ${text} AS text OFFSET 0) w)`;
}

const POSITION = sql`r.position`;

/** One row: `[count]`; no row when the version check failed. */
export function countStatement(shape: CollectionShape, filter: Filter | undefined): Statement {
  const check = versionCheck(shape);
  return {
    query: sql`SELECT (SELECT count(*)::float8 ${selected(shape, filter)}) FROM (${check}) f`,
  };
}

/** Field names are taken from this many of the newest records, without large ones. */
const NEWEST = literal(50);
const LARGE_BYTES = literal(64 * 1024);
const MAX_NAMES = literal(1_000);

/** One row: the names of the newest records' flexible fields as a JSON list. No row when the version check failed. */
export function fieldNamesStatement(shape: CollectionShape): Statement {
  const check = versionCheck(shape);
  const query = sql`
    SELECT (
      SELECT coalesce(json_agg(name), '[]')::text FROM (
        SELECT DISTINCT jsonb_object_keys(newest.x) AS name FROM (
          SELECT ${flexibleOf(shape)} AS x FROM ${tableOf(shape)} t WHERE ${alive(shape)} ORDER BY t._id DESC LIMIT ${NEWEST}) newest
        WHERE pg_column_size(newest.x) < ${LARGE_BYTES} LIMIT ${MAX_NAMES}) names
    ) FROM (${check}) f`;
  return { query };
}

/** The part of a projection that the statement applies: whole top-level fields. Deeper paths are applied afterwards. */
export function topLevel(projection: Projection | undefined): TopLevelFields | undefined {
  if (projection === undefined) return undefined;
  const id = projection.id ? ['_id'] : [];
  if (projection.mode === 'include')
    return { only: new Set([...id, ...projection.paths.map(path => path[0] as string)]) };
  const whole = projection.paths.filter(path => path.length === 1).map(path => path[0] as string);
  return { without: new Set(projection.id ? whole : ['_id', ...whole]) };
}
