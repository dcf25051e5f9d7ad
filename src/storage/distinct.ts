import {
  type FieldExpression,
  type FieldPath,
  type Filter,
  fieldExpression,
  fieldValues,
} from '../filter/index.js';
import { type CollectionShape, tableShape } from './collection-shape.js';
import { selected } from './read.js';
import { FENCE, fencedParameters, type Statement } from './statement.js';

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
 * nothing; with `maxBytes`, only those whose text is no longer. One row: `[values as JSON text, how many]`; none when the fence did not hold.
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
  const text = `
    SELECT d.list, d.count FROM (${FENCE}) f CROSS JOIN (
      SELECT coalesce(json_agg(${json}), '[]')::text AS list, count(*)::int AS count
      FROM (${values}) found) d`;
  return { text, values: parameters.values };
}

/**
 * A part of the same values, and one more than MAX_DISTINCT when there are. One row: the JSON text of a list with
 * `[value]` for each, null for one that is too long; none when the fence did not hold.
 */
export function distinctPartStatement(
  shape: CollectionShape,
  path: FieldPath,
  filter: Filter | undefined,
  { offset, maxBytes }: DistinctPart,
): Statement {
  const { parameters, json, distinct } = distinctValues(shape, path, filter);
  const part = `${distinct} ORDER BY v NULLS FIRST OFFSET ${parameters.add(offset, 'bigint')} LIMIT ${MAX_DISTINCT + 1}`;
  const shown = `CASE WHEN octet_length(v::text) > ${parameters.add(maxBytes, 'integer')} THEN NULL ELSE json_build_array(${json}) END`;
  const text = `
    SELECT d.list FROM (${FENCE}) f CROSS JOIN (
      SELECT coalesce(json_agg(${shown}), '[]')::text AS list FROM (${part}) found) d`;
  return { text, values: parameters.values };
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
