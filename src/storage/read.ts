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
  type SqlParameters,
  shortPosition,
  sortKeys,
} from '../filter/index.js';
import { alive, type CollectionShape, tableOf, tableShape } from './collection-shape.js';
import { recordTag } from './record-tag.js';
import { rowJson, type TopLevelFields } from './row-json.js';
import { FENCE, fencedParameters, type Statement, unlessLong } from './statement.js';

/** Which records of a collection to read, in which order, and what of them to show. */
export interface RecordQuery {
  readonly filter: Filter | undefined;
  readonly sort: Sort;
  readonly projection: Projection | undefined;
  /** At most so many records; part of the text, because the planner must know it. */
  readonly limit: number;
  readonly offset: number;
  /** Only what comes after this position (keyset paging). */
  readonly after: Position | undefined;
  readonly withPosition: boolean;
  readonly withTotal: boolean;
}

/** Texts are long and reads by id are many: made once for each version of a collection. */
const getStatements = new WeakMap<CollectionShape, Statement>();

/**
 * One row: the record as JSON text (`unlessLong`) and its entity tag, null when there is no such record. No row when the
 * fence did not hold.
 */
export function getStatement(shape: CollectionShape, recordId: string): Statement {
  let statement = getStatements.get(shape);
  if (statement === undefined) {
    statement = getAny(shape);
    getStatements.set(shape, statement);
  }
  return { ...statement, values: statement.values.with(RECORD_ID, recordId) };
}

/** Behind the parameters of the fence. */
const RECORD_ID = 2;

function getAny(shape: CollectionShape): Statement {
  const parameters = fencedParameters(shape);
  const id = parameters.add('', 'uuid');
  const record = rowJson(shape, undefined, parameters);
  const shown = unlessLong('r.record', parameters);
  const text = `
    SELECT p.* FROM (${FENCE}) f LEFT JOIN LATERAL (
      SELECT ${shown.sql}, r.tag FROM (
        SELECT ${record.text} AS record, ${recordTag(shape)} AS tag FROM ${tableOf(shape)} t ${record.join}
        WHERE t._id = ${id} AND ${alive(shape)} LIMIT 1) r) p ON true`;
  return { text, values: parameters.values, longest: shown.longest };
}

/** SQL of the records that a filter selects: `FROM … WHERE …`, the table as `t`, joined with `join`. */
export function selected(
  shape: CollectionShape,
  filter: Filter | undefined,
  parameters: SqlParameters,
  join = '',
): string {
  const condition =
    filter === undefined ? '' : ` AND (${compileFilter(filter, tableShape(shape), parameters)})`;
  return `FROM ${tableOf(shape)} t ${join} WHERE ${alive(shape)}${condition}`;
}

/**
 * Rows: the record as JSON text (`unlessLong`), its position as JSON text if asked for, whether the record of `after` still has its
 * keys where that is an anchor, and the total if asked for; in order. Where nothing matches one row without a record comes back; no row when the fence did not hold.
 */
export function pageStatement(shape: CollectionShape, query: RecordQuery): Statement {
  const parameters = fencedParameters(shape);
  const keys = sortKeys(query.sort, tableShape(shape), parameters);
  const record = rowJson(shape, topLevel(query.projection), parameters);
  const shown = unlessLong('r.record', parameters);
  const position = query.withPosition ? `, ${positionOf(keys)}::text AS position` : '';
  const from = selected(shape, query.filter, parameters, record.join);
  const beyond =
    query.after === undefined ? '' : ` AND ${after(keys, query.after, parameters, tableOf(shape))}`;
  const offset = query.offset === 0 ? '' : ` OFFSET ${parameters.add(query.offset, 'bigint')}`;
  const total = query.withTotal
    ? `, (SELECT count(*)::float8 ${selected(shape, query.filter, parameters)})`
    : '';
  const holds =
    query.after !== undefined && isAnchor(query.after)
      ? `, ${anchorHolds(keys, query.after, tableOf(shape), parameters)}`
      : '';
  // The limit is a number checked by the caller: as a parameter it would hide from the planner.
  const text = `
    SELECT p.*${holds}${total} FROM (${FENCE}) f LEFT JOIN LATERAL (
      SELECT ${shown.sql}${query.withPosition ? `, ${keys.length === 1 ? 'r.position' : shortPosition('r.position')}` : ''} FROM (
        SELECT ${record.text} AS record${position} ${from}${beyond}
        ORDER BY ${orderBy(keys)} LIMIT ${Math.trunc(query.limit)}${offset}) r) p ON true`;
  return { text, values: parameters.values, longest: shown.longest };
}

/** One row: `[count]`; none when the fence did not hold. */
export function countStatement(shape: CollectionShape, filter: Filter | undefined): Statement {
  const parameters = fencedParameters(shape);
  const text = `SELECT (SELECT count(*)::float8 ${selected(shape, filter, parameters)}) FROM (${FENCE}) f`;
  return { text, values: parameters.values };
}

/** Of the newest records, those that are not large are looked at for the names of their fields. */
const NEWEST = 50;
const LARGE_BYTES = 64 * 1024;
const MAX_NAMES = 1_000;

/** One row: the names of flexible fields that the newest records have, as a JSON list; none when the fence did not hold. */
export function fieldNamesStatement(shape: CollectionShape): Statement {
  const { values } = fencedParameters(shape);
  const text = `
    SELECT (
      SELECT coalesce(json_agg(name), '[]')::text FROM (
        SELECT DISTINCT jsonb_object_keys(newest.x) AS name FROM (
          SELECT t.x FROM ${tableOf(shape)} t WHERE ${alive(shape)} ORDER BY t._id DESC LIMIT ${NEWEST}) newest
        WHERE pg_column_size(newest.x) < ${LARGE_BYTES} LIMIT ${MAX_NAMES}) names
    ) FROM (${FENCE}) f`;
  return { text, values };
}

/** What of a projection the statement itself can do: whole top-level fields. Deeper paths are cut afterwards. */
export function topLevel(projection: Projection | undefined): TopLevelFields | undefined {
  if (projection === undefined) return undefined;
  const id = projection.id ? ['_id'] : [];
  if (projection.mode === 'include')
    return { only: new Set([...id, ...projection.paths.map(path => path[0] as string)]) };
  const whole = projection.paths.filter(path => path.length === 1).map(path => path[0] as string);
  return { without: new Set(projection.id ? whole : ['_id', ...whole]) };
}
