import {
  compileFilter,
  type FieldPath,
  type Filter,
  type Sort,
  type TableShape,
} from '../../filter/index.js';
import { invalid } from '../../kernel/errors.js';
import { identifier, joined, literal, NOTHING, param, type Sql, sql } from '../../sql/index.js';
import { type CollectionShape, tableShape } from '../collection-shape.js';
import { type Statement, unlessLong, versionCheck } from '../statement.js';
import { AggregateInputs, type AggregateStep, type ResultField, stepField } from './aggregate-field.js';
import { selected } from './read.js';

export interface Aggregation {
  readonly steps: readonly AggregateStep[];
  readonly groupBy: readonly FieldPath[];
  readonly filter: Filter | undefined;
  /** A filter over the fields of the result. */
  readonly having: Filter | undefined;
  /** Sort by fields of the result; undefined sorts by the group values, ascending. */
  readonly sort: Sort | undefined;
  readonly limit: number | undefined;
}

/** Maximum of groups. The statement returns at most one more, and the caller then refuses the request. */
export const MAX_GROUPS = 50_000;

/**
 * Groups and aggregates in SQL. Rows: `[result as JSON text]` (`unlessLong`) in order, at most MAX_GROUPS + 1. One row
 * of null when there is no group, no row when the version check failed.
 */
export function aggregateStatement(shape: CollectionShape, aggregation: Aggregation): Statement {
  const check = versionCheck(shape);
  const inputs = new AggregateInputs(tableShape(shape));
  const groups = aggregation.groupBy.map(path => inputs.field(path));
  const fields = [...groups, ...aggregation.steps.map(step => stepField(step, inputs))];
  const { shown, longest } = unlessLong(sql`r.result`);
  const listed = fields.map(
    ({ value, order }, index) => sql`${value} AS ${valueName(index)}, ${order} AS ${orderName(index)}`,
  );
  const having =
    aggregation.having === undefined
      ? NOTHING
      : sql`WHERE ${compileFilter(aggregation.having, resultShape(fields))}`;
  const limit = literal(Math.trunc(Math.min(aggregation.limit ?? MAX_GROUPS + 1, MAX_GROUPS + 1)));
  const query = sql`
    SELECT ${shown} FROM (${check}) f LEFT JOIN LATERAL (
      SELECT ${resultJson(fields)} AS result
      FROM (
        SELECT ${joined(listed)}
        FROM (SELECT ${inputs.columns} ${selected(shape, aggregation.filter)}) i
        ${groupClause(groups)}) g
      ${having}
      ${orderClause(aggregation.sort, groups, fields)}
      LIMIT ${limit}) r ON true`;
  return { query, longest };
}

function groupClause(groups: readonly ResultField[]): Sql {
  const keys = new Set(groups.flatMap(({ value, order }) => [value, order]));
  return keys.size === 0 ? NOTHING : sql`GROUP BY ${joined([...keys])}`;
}

/** The client chooses the names of the result, so they are parameters. */
function resultJson(fields: readonly ResultField[]): Sql {
  const entries = fields.map(
    ({ name, type }, index) => sql`${param(name, 'text')}, ${type.toJson(sql`g.${valueName(index)}`)}`,
  );
  return sql`json_build_object(${joined(entries)})::text`;
}

function valueName(index: number): Sql {
  return identifier(`v${index}`);
}

function orderName(index: number): Sql {
  return identifier(`o${index}`);
}

/** The grouped rows as the filter language needs them. */
function resultShape(fields: readonly ResultField[]): TableShape {
  return {
    flexible: sql`NULL::jsonb`,
    textColumns: [],
    column(name) {
      const index = fields.findIndex(field => field.name === name);
      const field = fields[index];
      return field && { sql: sql`g.${valueName(index)}`, type: field.type };
    },
  };
}

/** Nulls first ascending, as in all lists. The group values are added to the sort keys, so that the order is total. */
function orderClause(
  sort: Sort | undefined,
  groups: readonly ResultField[],
  fields: readonly ResultField[],
): Sql {
  const wanted = (sort ?? []).map(({ path, direction }) => {
    const index = fields.findIndex(field => field.name === path.join('.'));
    if (index < 0)
      throw invalid(`sort: ${path.join('.')} is neither a field of group_by nor an output_field`);
    const key = sql`g.${orderName(index)}`;
    return direction === 1 ? sql`${key} ASC NULLS FIRST` : sql`${key} DESC NULLS LAST`;
  });
  const terms = [...wanted, ...groups.map((_, index) => sql`g.${orderName(index)} ASC NULLS FIRST`)];
  return terms.length === 0 ? NOTHING : sql`ORDER BY ${joined(terms)}`;
}
