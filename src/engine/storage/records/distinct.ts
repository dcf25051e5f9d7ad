import { literal, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import {
  type FieldExpression,
  type FieldPath,
  type Filter,
  fieldExpression,
  fieldValues,
} from '../../filter/index.js';
import { type CollectionShape } from '../collection-shape.js';
import { type Read, unlessLong, versionCheck } from '../statement.js';
import { tableShape } from '../table-sql.js';
import { selected, type Texts, textsOf } from './read.js';

const OF_ELEMENT: FieldExpression = { sql: sql`each.v` };

/** Maximum of values that are returned. */
export const MAX_DISTINCT = 1_000;

/** A part of the ordered values. Values longer than `maxBytes` are not shown. */
export interface DistinctPart {
  readonly offset: number;
  readonly maxBytes: number;
}

/**
 * Distinct values of a field, as in MongoDB's `distinct`: an array yields its elements, an absent field yields nothing.
 * With `maxBytes`, only values whose text is no longer. The JSON texts of the values are in order and limited
 * (`unlessLong`).
 */
export function distinctStatement(
  shape: CollectionShape,
  path: FieldPath,
  filter: Filter | undefined,
  maxBytes?: number,
): Read<Texts> {
  const { json, distinct } = distinctValues(shape, path, filter);
  // With the limit in the same query, PostgreSQL can stop early when an index yields the values in order.
  const every =
    maxBytes === undefined
      ? distinct
      : sql`SELECT v FROM (${distinct}) a WHERE octet_length(v::text) <= ${param(maxBytes, 'integer')}`;
  return listed(shape, json, sql`${every} ORDER BY v NULLS FIRST LIMIT ${literal(MAX_DISTINCT)}`);
}

/**
 * A part of the same values, at most MAX_DISTINCT + 1, as JSON texts: each value inside a list, or null when it is too
 * long.
 */
export function distinctPartStatement(
  shape: CollectionShape,
  path: FieldPath,
  filter: Filter | undefined,
  { offset, maxBytes }: DistinctPart,
): Read<Texts> {
  const { json, distinct } = distinctValues(shape, path, filter);
  const part = sql`${distinct} ORDER BY v NULLS FIRST OFFSET ${param(offset, 'bigint')} LIMIT ${literal(MAX_DISTINCT + 1)}`;
  const shown = sql`CASE WHEN octet_length(v::text) > ${param(maxBytes, 'integer')} THEN 'null' ELSE json_build_array(${json}) END`;
  return listed(shape, shown, part);
}

/**
 * `json`: SQL that converts `v` to JSON. There is one row per value, so that a result that is too large can be cut off.
 */
function listed(shape: CollectionShape, json: Sql, values: Sql): Read<Texts> {
  const check = versionCheck(shape);
  const { shown, longest } = unlessLong(sql`d.value`);
  const query = sql`
    SELECT ${shown} FROM (${check}) f LEFT JOIN LATERAL (
      SELECT coalesce(to_json(${json})::text, 'null') AS value FROM (${values}) found OFFSET 0) d ON true`;
  return { query, longest, decode: textsOf };
}

/** SQL of the distinct values, each as `v`, and SQL that converts `v` to JSON. */
function distinctValues(shape: CollectionShape, path: FieldPath, filter: Filter | undefined) {
  const table = tableShape(shape);
  const inside = fieldValues(path, table);
  const column = inside === undefined ? fieldExpression(path, table) : OF_ELEMENT;
  const ifPresent = column.present === undefined ? NOTHING : sql`JOIN (SELECT) present ON ${column.present}`;
  const join = inside === undefined ? ifPresent : sql`CROSS JOIN LATERAL ${inside} AS each(v)`;
  const distinct = sql`SELECT DISTINCT ${column.sql} AS v ${selected(shape, filter, join)}`;
  return { json: column.type?.toJson(sql`v`) ?? sql`v`, distinct };
}
