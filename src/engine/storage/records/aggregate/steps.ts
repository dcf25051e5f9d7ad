import { invalid } from '../../../../base/kernel/errors.js';
import { NOTHING, param, type Sql, sql } from '../../../../base/sql/index.js';
import { COLUMN_TYPES, type ColumnType } from '../../../columns/index.js';
import { compileFilter, type FieldPath, type Filter, type Sort } from '../../../filter/index.js';
import type { AggregateInputs, ResultField } from './fields.js';

export const AGGREGATE_TYPES = [
  'sum',
  'avg',
  'count',
  'min',
  'max',
  'median',
  'percentile',
  'stddev',
  'count_distinct',
  'first',
  'last',
] as const;

export interface AggregateStep {
  readonly type: (typeof AGGREGATE_TYPES)[number];
  /** The field to aggregate. `count` without a field counts records. */
  readonly input: FieldPath | undefined;
  /** The name of the result. */
  readonly output: string;
  /** The records that the step reads; undefined: all of the group. */
  readonly filter?: Filter | undefined;
  /** Of a percentile: from 0 to 1. */
  readonly at?: number | undefined;
  /** Of `first` and `last`: the order of the records. */
  readonly sort?: Sort | undefined;
}

const { double, json } = COLUMN_TYPES;

/**
 * The result of one aggregation step. `groups` are the columns that records are grouped by. Throws 400 for a figure of a
 * column that does not contain numbers.
 */
export function stepField(step: AggregateStep, inputs: AggregateInputs, groups: readonly Sql[]): ResultField {
  const input = step.input && inputs.field(step.input);
  const chosen = step.filter && inputs.column(sql`(${compileFilter(step.filter, inputs.table)})`);
  const where = chosen === undefined ? NOTHING : sql` FILTER (WHERE ${chosen})`;
  const named = (value: Sql, type: ColumnType = double, order = value) => ({
    name: step.output,
    value,
    order,
    type,
  });
  const zero = (value: Sql) => ({ ...named(value), isZeroOfNothing: true });
  if (step.type === 'count') return zero(sql`count(${input?.value ?? sql`*`})${where}::float8`);
  if (input === undefined) throw invalid(`steps: ${step.type} needs an input_field`);
  switch (step.type) {
    case 'sum':
      return zero(sql`coalesce(sum(${numbers(step, input)})${where}, 0)::float8`);
    case 'avg':
      return named(sql`avg(${numbers(step, input)})${where}::float8`);
    case 'count_distinct':
      return zero(sql`count(DISTINCT ${input.value})${where}::float8`);
    case 'median':
    case 'percentile':
      return named(percentile(param(step.at ?? 0.5, 'double precision'), numbers(step, input), where));
    case 'stddev':
      return named(sql`stddev_samp(${numbers(step, input)}::float8)${where}`);
    case 'first':
    case 'last':
      return named(...firstOf(step, { input, inputs, groups, chosen }));
    default:
      return named(...extreme(step.type, input, where));
  }
}

/** The numbers of a field; other values are skipped, as in MongoDB. Sums are computed as doubles (contract). */
function numbers(step: AggregateStep, { name, value, type }: ResultField): Sql {
  if (type.name === 'integer' || type.name === 'double') return value;
  if (type.family === 'scalar')
    throw invalid(`steps: ${step.type} of '${name}' needs numbers, the column is ${type.name}`);
  return sql`CASE jsonb_typeof(${value}) WHEN 'number' THEN ${value}::float8 END`;
}

/**
 * Interpolated between the two nearest values. Their difference can be out of the range of doubles: PostgreSQL then
 * returns infinity, which as an integer is the error that sums have.
 */
function percentile(at: Sql, value: Sql, where: Sql): Sql {
  const found = sql`percentile_cont(${at}) WITHIN GROUP (ORDER BY ${value}::float8)${where}`;
  return sql`CASE WHEN abs(${found}) < 'Infinity' THEN ${found} ELSE (${found})::bigint::float8 END`;
}

/** Value, type and order of the first or last record's value, null included. */
function firstOf(
  { type, sort }: AggregateStep,
  records: {
    readonly input: ResultField;
    readonly inputs: AggregateInputs;
    readonly groups: readonly Sql[];
    readonly chosen: Sql | undefined;
  },
): [Sql, ColumnType, Sql] {
  if (sort === undefined) throw invalid(`steps: ${type} needs a sort`);
  const { input, inputs, groups, chosen } = records;
  const among = chosen === undefined ? groups : [...groups, chosen];
  const rank = inputs.rank(among, sort, type === 'last');
  const isFirst = chosen === undefined ? sql`${rank} = 1` : sql`${rank} = 1 AND ${chosen}`;
  const first = (of: Sql) => sql`(array_agg(${of}) FILTER (WHERE ${isFirst}))[1]`;
  return [first(input.value), input.type, first(input.order)];
}

/** Value, type and order of the least or greatest value; nulls are skipped. */
function extreme(
  which: 'min' | 'max',
  { value, order, type }: ResultField,
  where: Sql,
): [Sql, ColumnType, Sql] {
  const call = which === 'min' ? sql`min` : sql`max`;
  if (type.family === 'document') {
    const direction = which === 'min' ? sql`ASC` : sql`DESC`;
    const first = sql`(array_agg(${value} ORDER BY ${order} ${direction} NULLS LAST)${where})[1]`;
    return [first, json, sql`${call}(${order})${where}`];
  }
  if (type.name === 'boolean') {
    const all = which === 'min' ? sql`bool_and(${value})${where}` : sql`bool_or(${value})${where}`;
    return [all, type, all];
  }
  // PostgreSQL before 18 has no min(uuid); the text of a uuid sorts as the uuid does.
  const found =
    type.castType === 'uuid' ? sql`(${call}(${value}::text)${where})::uuid` : sql`${call}(${value})${where}`;
  return [found, type, found];
}
