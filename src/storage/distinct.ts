import {
  type FieldExpression,
  type FieldPath,
  type Filter,
  fieldExpression,
  fieldValues,
  type SqlParameters,
} from '../filter/index.js';
import { type CollectionShape, tableShape } from './collection-shape.js';
import { selected } from './read.js';
import { FENCE, fencedParameters, type Statement, unlessLong } from './statement.js';

const OF_ELEMENT: FieldExpression = { sql: 'each.v' };

/** At most so many values are returned. */
export const MAX_DISTINCT = 1_000;

/** A part of the values in their order, in which what is longer than `maxBytes` is not shown. */
export interface DistinctPart {
  readonly offset: number;
  readonly maxBytes: number;
}

/**
 * Distinct values of a field, as MongoDB's `distinct` takes them: arrays give their elements, an absent field gives
 * nothing; with `maxBytes`, only those whose text is no longer. Rows: `[value as JSON text]` (`unlessLong`) in order; one row of
 * null when there is none, no row when the fence did not hold.
 */
export function distinctStatement(
  shape: CollectionShape,
  path: FieldPath,
  filter: Filter | undefined,
  maxBytes?: number,
): Statement {
  const { parameters, json, distinct } = distinctValues(shape, path, filter);
  // A limit in the same query lets PostgreSQL stop early where an index gives the values in order.
  const every =
    maxBytes === undefined
      ? distinct
      : `SELECT v FROM (${distinct}) a WHERE octet_length(v::text) <= ${parameters.add(maxBytes, 'integer')}`;
  const values = `${every} ORDER BY v NULLS FIRST LIMIT ${MAX_DISTINCT}`;
  return listed(json, values, parameters);
}

/**
 * A part of the same values, and one more than MAX_DISTINCT when there are. Rows: `[value as JSON text]`, the value within a list
 * or, where it is too long, null; one row of null when there is none, no row when the fence did not hold.
 */
export function distinctPartStatement(
  shape: CollectionShape,
  path: FieldPath,
  filter: Filter | undefined,
  { offset, maxBytes }: DistinctPart,
): Statement {
  const { parameters, json, distinct } = distinctValues(shape, path, filter);
  const part = `${distinct} ORDER BY v NULLS FIRST OFFSET ${parameters.add(offset, 'bigint')} LIMIT ${MAX_DISTINCT + 1}`;
  const shown = `CASE WHEN octet_length(v::text) > ${parameters.add(maxBytes, 'integer')} THEN 'null' ELSE json_build_array(${json}) END`;
  return listed(shown, part, parameters);
}

/** `json`: SQL that makes JSON of `v`. One row for each value, so that what is too much can be cut off. */
function listed(json: string, values: string, parameters: SqlParameters): Statement {
  const shown = unlessLong('d.value', parameters);
  const text = `
    SELECT ${shown.sql} FROM (${FENCE}) f LEFT JOIN LATERAL (
      SELECT coalesce(to_json(${json})::text, 'null') AS value FROM (${values}) found OFFSET 0) d ON true`;
  return { text, values: parameters.values, longest: shown.longest };
}

/** SQL of the distinct values, each as `v`, and of `v` as JSON. */
function distinctValues(shape: CollectionShape, path: FieldPath, filter: Filter | undefined) {
  const parameters = fencedParameters(shape);
  const table = tableShape(shape);
  const inside = fieldValues(path, table, parameters);
  const column = inside === undefined ? fieldExpression(path, table, parameters) : OF_ELEMENT;
  const join = inside === undefined ? '' : `CROSS JOIN LATERAL ${inside} AS each(v)`;
  const distinct = `SELECT DISTINCT ${column.sql} AS v ${selected(shape, filter, parameters, join)}`;
  return { parameters, json: column.type?.toJson('v') ?? 'v', distinct };
}
