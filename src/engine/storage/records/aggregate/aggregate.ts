import { invalid } from '../../../../base/kernel/errors.js';
import {
  Cte,
  identifier,
  joined,
  literal,
  NOTHING,
  param,
  type Sql,
  sql,
  withCtes,
} from '../../../../base/sql/index.js';
import type { Rows } from '../../../../platform/database/statements.js';
import { compileFilter, type Filter, type Sort, type TableShape } from '../../../filter/index.js';
import type { CollectionShape } from '../../collection-shape.js';
import { type Read, unlessLong, versionCheck } from '../../statement.js';
import { tableShape } from '../../table-sql.js';
import { selected, type Texts, textsOf } from '../read.js';
import { AggregateInputs, type ResultField } from './fields.js';
import { type GroupKey, groupField, type Period, type Range, seriesOf } from './groups.js';
import { type AggregateStep, stepField } from './steps.js';

export interface Aggregation {
  readonly steps: readonly AggregateStep[];
  readonly groupBy: readonly GroupKey[];
  /** Adds the empty groups between the first and the last. The group is the only one, and a period or a range. */
  readonly fill: Period | Range | undefined;
  readonly filter: Filter | undefined;
  /** A filter over the fields of the result. */
  readonly having: Filter | undefined;
  /** Sort by fields of the result; undefined sorts by the group values, ascending. */
  readonly sort: Sort | undefined;
  readonly limit: number | undefined;
}

/** Maximum of groups. The statement returns at most one more, and the caller then refuses the request. */
export const MAX_GROUPS = 50_000;

/** The results of an aggregation as JSON texts. */
export interface Aggregated extends Texts {
  /** True when there are more than MAX_FILLED groups with the empty ones; some are missing then. */
  readonly isTooLong: boolean;
}

/**
 * Groups and aggregates in SQL. The JSON texts of the results are in order and limited (`unlessLong`), at most
 * MAX_GROUPS + 1.
 */
export function aggregateStatement(shape: CollectionShape, aggregation: Aggregation): Read<Aggregated> {
  const check = versionCheck(shape);
  const inputs = new AggregateInputs(tableShape(shape));
  const groups = aggregation.groupBy.map(key => groupField(key, inputs));
  const keys = [...new Set(groups.flatMap(({ value, order }) => [value, order]))];
  const fields = [...groups, ...aggregation.steps.map(step => stepField(step, inputs, keys))];
  const listed = fields.map(
    ({ value, order }, index) => sql`${value} AS ${valueName(index)}, ${order} AS ${orderName(index)}`,
  );
  const grouped = sql`
        SELECT ${joined(listed)}
        FROM (${inputs.query(selected(shape, aggregation.filter))}) i
        ${keys.length === 0 ? NOTHING : sql`GROUP BY ${joined(keys)}`}`;
  const { fill } = aggregation;
  const { shown, longest } = unlessLong(sql`r.result`);
  const limit = literal(Math.trunc(Math.min(aggregation.limit ?? MAX_GROUPS + 1, MAX_GROUPS + 1)));
  const query = sql`
    SELECT ${shown}${fill ? sql`, r.excess` : NOTHING} FROM (${check}) f LEFT JOIN LATERAL (
      SELECT ${resultJson(fields)} AS result${fill ? sql`, g.excess` : NOTHING}
      FROM (${fill ? filled(grouped, fill, fields) : grouped}) g
      ${whereClause(aggregation.having, fill !== undefined, fields)}
      ${orderClause(aggregation.sort, groups, fields)}
      LIMIT ${limit}) r ON true`;
  const decode = (rows: Rows) => ({
    ...textsOf(rows),
    isTooLong: fill !== undefined && rows.some(([, excess]) => excess === true),
  });
  return { query, longest, decode };
}

/** The groups with the empty ones between the first and the last. `excess` is `isTooLong` in every row. */
function filled(grouped: Sql, by: Period | Range, fields: readonly ResultField[]): Sql {
  const groups = new Cte('groups', grouped, { materialized: true });
  const { series, isTooLong } = seriesOf(by, groups, valueName(0));
  const columns = fields.map(({ isZeroOfNothing }, index) => {
    const shown = (name: Sql) => {
      if (index === 0) return sql`coalesce(g.${name}, s.start) AS ${name}`;
      return isZeroOfNothing ? sql`coalesce(g.${name}, 0) AS ${name}` : sql`g.${name}`;
    };
    return sql`${shown(valueName(index))}, ${shown(orderName(index))}`;
  });
  return withCtes(
    [groups, series],
    sql`SELECT ${joined(columns)}, ${isTooLong} AS excess FROM ${groups} g FULL JOIN ${series} s ON g.${valueName(0)} = s.start`,
  );
}

function whereClause(having: Filter | undefined, isFilled: boolean, fields: readonly ResultField[]): Sql {
  if (having === undefined) return NOTHING;
  const condition = compileFilter(having, resultShape(fields));
  return isFilled ? sql`WHERE g.excess OR (${condition})` : sql`WHERE ${condition}`;
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
