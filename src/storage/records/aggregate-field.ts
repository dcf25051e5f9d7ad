import { COLUMN_TYPES, type ColumnType } from '../../columns/index.js';
import {
  type FieldPath,
  fieldExpression,
  type SortKey,
  sortKeys,
  type TableShape,
} from '../../filter/index.js';
import { invalid } from '../../kernel/errors.js';
import { identifier, joined, type Sql, sql } from '../../sql/index.js';

export const AGGREGATE_TYPES = ['sum', 'avg', 'count', 'min', 'max'] as const;

export interface AggregateStep {
  readonly type: (typeof AGGREGATE_TYPES)[number];
  /** The field to aggregate. `count` without a field counts records. */
  readonly input: FieldPath | undefined;
  /** The name of the result. */
  readonly output: string;
}

/** A field of the result: its name for clients, the SQL of its value and of what orders it, and its type. */
export interface ResultField {
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
export class AggregateInputs {
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
export function stepField(step: AggregateStep, inputs: AggregateInputs): ResultField {
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
