import {
  after,
  anchorHolds,
  compileFilter,
  type Filter,
  isAnchor,
  orderBy,
  type Position,
  type Projection,
  positionOf,
  type Sort,
  shortPosition,
  sortKeys,
} from '../../filter/index.js';
import { literal, NOTHING, param, type Sql, sql } from '../../sql/index.js';
import { alive, type CollectionShape, tableOf, tableShape } from '../collection-shape.js';
import { type Statement, unlessLong, versionCheck } from '../statement.js';
import { recordTag, rowJson, type TopLevelFields } from './row-json.js';

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
  readonly withPosition: boolean;
  readonly withTotal: boolean;
  /** Adds each record's entity tag, in quotes, as `_etag`. */
  readonly withTags?: boolean | undefined;
}

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
 * anchor, whether its record still has the same keys; and the total if requested. One row without a record when nothing
 * matches. No row when the version check failed.
 */
export function pageStatement(shape: CollectionShape, query: RecordQuery): Statement {
  const check = versionCheck(shape);
  const table = tableOf(shape);
  const keys = sortKeys(query.sort, tableShape(shape));
  const record = rowJson(shape, topLevel(query.projection));
  const { shown, longest } = unlessLong(sql`r.record`);
  const condition = selecting(shape, query.filter);
  const beyond = query.after === undefined ? NOTHING : sql` AND ${after(keys, query.after, table)}`;
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
  const text = sql`
    SELECT p.*${holds}${total} FROM (${check}) f LEFT JOIN LATERAL (
      SELECT ${shown}${shownPosition} FROM (
        SELECT ${query.withTags ? taggedText(shape, record.text) : record.text} AS record${position} ${from(shape, condition, record.join)}${beyond}
        ORDER BY ${orderBy(keys)} LIMIT ${limit}${offset}) r) p ON true`;
  return { query: text, longest };
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
          SELECT t.x FROM ${tableOf(shape)} t WHERE ${alive(shape)} ORDER BY t._id DESC LIMIT ${NEWEST}) newest
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
