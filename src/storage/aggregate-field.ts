import { COLUMN_TYPES, type ColumnType } from '../columns/index.js';
import {
  type FieldPath,
  fieldExpression,
  type SqlParameters,
  sortKeys,
  type TableShape,
} from '../filter/index.js';
import { invalid } from '../kernel/errors.js';

export const AGGREGATE_TYPES = ['sum', 'avg', 'count', 'min', 'max'] as const;

export interface AggregateStep {
  readonly type: (typeof AGGREGATE_TYPES)[number];
  /** The field that is aggregated; `count` without one counts records. */
  readonly input: FieldPath | undefined;
  /** The name of the result. */
  readonly output: string;
}

/** A field of the result: its name for clients, the SQL of its value and of what orders it, and its type. */
export interface ResultField {
  readonly name: string;
  readonly value: string;
  readonly order: string;
  readonly type: ColumnType;
}

const { double, json } = COLUMN_TYPES;

/**
 * The fields of the records that an aggregation reads, each a column of an inner query (alias `i`), so that
 * grouping, ordering and aggregating read plain columns, whatever those were made from.
 */
export class AggregateInputs {
  private readonly known = new Map<string, ResultField>();
  private readonly list: string[] = [];

  constructor(
    private readonly table: TableShape,
    private readonly parameters: SqlParameters,
  ) {}

  /** Select list of the inner query. */
  get columns(): string {
    return this.list.join(', ') || '1';
  }

  /** The field at a path: a scalar column is its own order, jsonb gets a code that sorts as MongoDB does. */
  field(path: FieldPath): ResultField {
    const name = path.join('.');
    const known = this.known.get(name) ?? this.add(name, path);
    this.known.set(name, known);
    return known;
  }

  private add(name: string, path: FieldPath): ResultField {
    const { sql, type } = fieldExpression(path, this.table, this.parameters);
    const value = `i.v${this.known.size}`;
    if (type?.family === 'scalar') {
      this.list.push(`${sql} AS v${this.known.size}`);
      return { name, value, order: value, type };
    }
    const [key] = sortKeys([{ path, direction: 1 }], this.table, this.parameters);
    const order = `i.o${this.known.size}`;
    this.list.push(`nullif(${sql}, 'null') AS v${this.known.size}`, `${key?.sql} AS o${this.known.size}`);
    return { name, value, order, type: json };
  }
}

/** The result of one step. Throws 400 for a sum or average of a column that holds no numbers. */
export function stepField(step: AggregateStep, inputs: AggregateInputs): ResultField {
  const input = step.input && inputs.field(step.input);
  const named = (value: string, type: ColumnType = double, order = value) => ({
    name: step.output,
    value,
    order,
    type,
  });
  if (step.type === 'count') return named(`count(${input?.value ?? '*'})::float8`);
  if (input === undefined) throw invalid(`steps: ${step.type} needs an input_field`);
  switch (step.type) {
    case 'sum':
      return named(`coalesce(sum(${numbers(step, input)}), 0)::float8`);
    case 'avg':
      return named(`avg(${numbers(step, input)})::float8`);
    default:
      return named(...extreme(step.type, input));
  }
}

/** The numbers of a field; what is no number is skipped, as in MongoDB. Sums are made in doubles (contract). */
function numbers(step: AggregateStep, { name, value, type }: ResultField): string {
  if (type.name === 'integer' || type.name === 'double') return value;
  if (type.family === 'scalar')
    throw invalid(`steps: ${step.type} of '${name}' needs numbers, the column is ${type.name}`);
  return `CASE jsonb_typeof(${value}) WHEN 'number' THEN ${value}::float8 END`;
}

/** Value, type and order of the least or greatest value; nulls are skipped. */
function extreme(which: 'min' | 'max', { value, order, type }: ResultField): [string, ColumnType, string] {
  if (type.family === 'document') {
    const direction = which === 'min' ? 'ASC' : 'DESC';
    return [`(array_agg(${value} ORDER BY ${order} ${direction} NULLS LAST))[1]`, json, `${which}(${order})`];
  }
  if (type.name === 'boolean') {
    const sql = `${which === 'min' ? 'bool_and' : 'bool_or'}(${value})`;
    return [sql, type, sql];
  }
  // PostgreSQL before 18 has no min(uuid); the text of a uuid sorts as the uuid does.
  const sql = type.castType === 'uuid' ? `${which}(${value}::text)::uuid` : `${which}(${value})`;
  return [sql, type, sql];
}
