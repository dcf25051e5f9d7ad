import {
  compileFilter,
  type FieldPath,
  type Filter,
  type Sort,
  type SqlParameters,
  type TableShape,
} from '../filter/index.js';
import { invalid } from '../kernel/errors.js';
import { AggregateInputs, type AggregateStep, type ResultField, stepField } from './aggregate-field.js';
import { type CollectionShape, tableShape } from './collection-shape.js';
import { selected } from './read.js';
import { FENCE, fencedParameters, type Statement, unlessLong } from './statement.js';

export interface Aggregation {
  readonly steps: readonly AggregateStep[];
  readonly groupBy: readonly FieldPath[];
  readonly filter: Filter | undefined;
  /** A filter over the fields of the result. */
  readonly having: Filter | undefined;
  /** By fields of the result; undefined: by the group values, ascending. */
  readonly sort: Sort | undefined;
  readonly limit: number | undefined;
}

/** More groups are refused by the caller; the statement stops one later. */
export const MAX_GROUPS = 50_000;

/**
 * Groups and aggregates in SQL. Rows: `[result as JSON text]` (`unlessLong`) in order, at most MAX_GROUPS + 1; one row of
 * null when there is no group, no row when the fence did not hold.
 */
export function aggregateStatement(shape: CollectionShape, aggregation: Aggregation): Statement {
  const parameters = fencedParameters(shape);
  const inputs = new AggregateInputs(tableShape(shape), parameters);
  const groups = aggregation.groupBy.map(path => inputs.field(path));
  const fields = [...groups, ...aggregation.steps.map(step => stepField(step, inputs))];
  const having = aggregation.having && compileFilter(aggregation.having, resultShape(fields), parameters);
  const shown = unlessLong('r.result', parameters);
  const text = `
    SELECT ${shown.sql} FROM (${FENCE}) f LEFT JOIN LATERAL (
      SELECT ${resultJson(fields, parameters)} AS result
      FROM (
        SELECT ${fields.map((field, index) => `${field.value} AS v${index}, ${field.order} AS o${index}`).join(', ')}
        FROM (SELECT ${inputs.columns} ${selected(shape, aggregation.filter, parameters)}) i
        ${groupClause(groups)}) g
      ${having === undefined ? '' : `WHERE ${having}`}
      ${orderClause(aggregation.sort, groups, fields)}
      LIMIT ${Math.trunc(Math.min(aggregation.limit ?? MAX_GROUPS + 1, MAX_GROUPS + 1))}) r ON true`;
  return { text, values: parameters.values, longest: shown.longest };
}

function groupClause(groups: readonly ResultField[]): string {
  const keys = new Set(groups.flatMap(({ value, order }) => [value, order]));
  return keys.size === 0 ? '' : `GROUP BY ${[...keys].join(', ')}`;
}

/** The names of the result are the client's, so they are parameters. */
function resultJson(fields: readonly ResultField[], parameters: SqlParameters): string {
  const entries = fields.map(
    ({ name, type }, index) => `${parameters.add(name, 'text')}, ${type.toJson(`g.v${index}`)}`,
  );
  return `json_build_object(${entries.join(', ')})::text`;
}

/** The grouped rows as a filter sees them. */
function resultShape(fields: readonly ResultField[]): TableShape {
  return {
    flexible: 'NULL::jsonb',
    textColumns: [],
    column(name) {
      const index = fields.findIndex(field => field.name === name);
      const field = fields[index];
      return field && { sql: `g.v${index}`, type: field.type };
    },
  };
}

/** Nulls first ascending, as everywhere; group values make the order total where they do not lead it. */
function orderClause(
  sort: Sort | undefined,
  groups: readonly ResultField[],
  fields: readonly ResultField[],
): string {
  const wanted = (sort ?? []).map(({ path, direction }) => {
    const index = fields.findIndex(field => field.name === path.join('.'));
    if (index < 0) throw invalid(`sort: ${path.join('.')} is neither grouped by nor an output_field`);
    return `g.o${index} ${direction === 1 ? 'ASC NULLS FIRST' : 'DESC NULLS LAST'}`;
  });
  const terms = [...wanted, ...groups.map((_, index) => `g.o${index} ASC NULLS FIRST`)];
  return terms.length === 0 ? '' : `ORDER BY ${terms.join(', ')}`;
}
