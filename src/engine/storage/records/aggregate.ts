import { invalid } from '../../../base/kernel/errors.js';
import { identifier, joined, literal, NOTHING, param, type Sql, sql } from '../../../base/sql/index.js';
import { COLUMN_TYPES, type ColumnType } from '../../columns/index.js';
import {
  compileFilter,
  type FieldPath,
  type Filter,
  fieldExpression,
  type Sort,
  type SortKey,
  sortKeys,
  type TableShape,
} from '../../filter/index.js';
import { type CollectionShape } from '../collection-shape.js';
import { type Read, unlessLong, versionCheck } from '../statement.js';
import { tableShape } from '../table-sql.js';
import { selected, type Texts, textsOf } from './read.js';

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

/** Groups and aggregates in SQL. The JSON texts of the results are in order and limited (`unlessLong`). */
export function aggregateStatement(shape: CollectionShape, aggregation: Aggregation): Read<Texts> {
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
  return { query, longest, decode: textsOf };
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

export const AGGREGATE_TYPES = ['sum', 'avg', 'count', 'min', 'max'] as const;

interface AggregateStep {
  readonly type: (typeof AGGREGATE_TYPES)[number];
  /** The field to aggregate. `count` without a field counts records. */
  readonly input: FieldPath | undefined;
  /** The name of the result. */
  readonly output: string;
}

/** A field of the result: its name for clients, the SQL of its value and of what orders it, and its type. */
interface ResultField {
  readonly name: string;
  readonly value: Sql;
  readonly order: Sql;
  readonly type: ColumnType;
}

const { double, json } = COLUMN_TYPES;

/**
 * The fields of the records that an aggregation reads. Each is a column of an inner query (alias `i`), so that
 * grouping, ordering and aggregating use plain columns instead of the expressions behind them.
 */
class AggregateInputs {
  private readonly known = new Map<string, ResultField>();
  private readonly list: Sql[] = [];

  constructor(private readonly table: TableShape) {}

  /** Select list of the inner query. */
  get columns(): Sql {
    return this.list.length === 0 ? sql`1` : joined(this.list);
  }

  /** The field at a path. A scalar column is ordered by its value, jsonb by a text that sorts in MongoDB's order. */
  field(path: FieldPath): ResultField {
    const name = path.join('.');
    const known = this.known.get(name) ?? this.add(name, path);
    this.known.set(name, known);
    return known;
  }

  private add(name: string, path: FieldPath): ResultField {
    const { sql: field, type } = fieldExpression(path, this.table);
    const [v, o] = [identifier(`v${this.known.size}`), identifier(`o${this.known.size}`)];
    const value = sql`i.${v}`;
    if (type?.family === 'scalar') {
      this.list.push(sql`${field} AS ${v}`);
      return { name, value, order: value, type };
    }
    const [key] = sortKeys([{ path, direction: 1 }], this.table) as [SortKey];
    this.list.push(sql`nullif(${field}, 'null') AS ${v}`, sql`${key.value} AS ${o}`);
    return { name, value, order: sql`i.${o}`, type: json };
  }
}

/** The result of one aggregation step. Throws 400 for a sum or average of a column that does not contain numbers. */
function stepField(step: AggregateStep, inputs: AggregateInputs): ResultField {
  const input = step.input && inputs.field(step.input);
  const named = (value: Sql, type: ColumnType = double, order = value) => ({
    name: step.output,
    value,
    order,
    type,
  });
  if (step.type === 'count') return named(sql`count(${input?.value ?? sql`*`})::float8`);
  if (input === undefined) throw invalid(`steps: ${step.type} needs an input_field`);
  switch (step.type) {
    case 'sum':
      return named(sql`coalesce(sum(${numbers(step, input)}), 0)::float8`);
    case 'avg':
      return named(sql`avg(${numbers(step, input)})::float8`);
    default:
      return named(...extreme(step.type, input));
  }
}

/** The numbers of a field; other values are skipped, as in MongoDB. Sums are computed as doubles (contract). */
function numbers(step: AggregateStep, { name, value, type }: ResultField): Sql {
  if (type.name === 'integer' || type.name === 'double') return value;
  if (type.family === 'scalar')
    throw invalid(`steps: ${step.type} of '${name}' needs numbers, the column is ${type.name}`);
  return sql`CASE jsonb_typeof(${value}) WHEN 'number' THEN ${value}::float8 END`;
}

/** Value, type and order of the least or greatest value; nulls are skipped. */
function extreme(which: 'min' | 'max', { value, order, type }: ResultField): [Sql, ColumnType, Sql] {
  const call = which === 'min' ? sql`min` : sql`max`;
  if (type.family === 'document') {
    const direction = which === 'min' ? sql`ASC` : sql`DESC`;
    const first = sql`(array_agg(${value} ORDER BY ${order} ${direction} NULLS LAST))[1]`;
    return [first, json, sql`${call}(${order})`];
  }
  if (type.name === 'boolean') {
    const extreme = which === 'min' ? sql`bool_and(${value})` : sql`bool_or(${value})`;
    return [extreme, type, extreme];
  }
  // PostgreSQL before 18 has no min(uuid); the text of a uuid sorts as the uuid does.
  const extreme = type.castType === 'uuid' ? sql`${call}(${value}::text)::uuid` : sql`${call}(${value})`;
  return [extreme, type, extreme];
}
