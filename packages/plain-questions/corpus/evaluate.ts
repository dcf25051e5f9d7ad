import { Query } from 'mingo';
import { type ReadData, tableOf } from '../src/answers/table-of.js';
import type { AggregatePlan, AggregateStep, Plan, PlanData, Tools } from '../src/plan.js';
import { type Row, TODAY } from './fixtures.js';

/** What a plan gives on rows, as MongoDB would read its filters. Dates are ISO text, which sorts as they do. */
export function evaluate(plan: Plan, rows: readonly Row[]): PlanData {
  if (plan.operation === 'several')
    return tableOf(
      plan,
      plan.reads.map(read => evaluate(read.plan, rows) as ReadData),
    );
  const query = new Query(readable(plan.filter ?? {}));
  const found = rows.filter(row => query.test(row as Record<string, unknown>));
  switch (plan.operation) {
    case 'count':
      return { count: found.length };
    case 'distinct': {
      const values = [...new Set(found.flatMap(row => row[plan.field] ?? null))].sort();
      return { field: plan.field, count: values.length, values };
    }
    case 'query': {
      const records = sorted(found, plan.sort)
        .slice(((plan.page ?? 1) - 1) * plan.limit, (plan.page ?? 1) * plan.limit)
        .map(row => projected(row, plan.fields));
      return { count: records.length, records };
    }
    case 'aggregate':
      return { results: aggregated(plan, found) };
  }
}

/** mingo does not find an empty array by `$in`, as MongoDB does; by its size it does. */
function readable(filter: Row): Record<string, unknown> {
  const conditions = Object.entries(filter).map(([name, test]) => {
    const { $in, $nin } = (test ?? {}) as { $in?: unknown[]; $nin?: unknown[] };
    if (![...($in ?? []), ...($nin ?? [])].some(Array.isArray)) return { [name]: test };
    return { [$in ? '$or' : '$nor']: [{ [name]: null }, { [name]: { $size: 0 } }] };
  });
  return conditions.length === 0 ? {} : { $and: conditions };
}

function projected(row: Row, fields: readonly string[] | undefined): Row {
  if (fields === undefined) return row;
  return Object.fromEntries(fields.filter(name => name in row).map(name => [name, row[name]]));
}

function aggregated(plan: AggregatePlan, found: readonly Row[]): Row[] {
  const names = plan.group_by === undefined ? [] : [plan.group_by].flat();
  const groups = new Map<string, Row[]>(names.length === 0 ? [['[]', []]] : []);
  for (const row of found) {
    const key = JSON.stringify(names.map(name => row[name] ?? null));
    groups.set(key, [...(groups.get(key) ?? []), row]);
  }
  const results = [...groups].map(([key, rows]) => {
    const values = JSON.parse(key) as unknown[];
    const group = names.map((name, index) => [name, values[index]]);
    return Object.fromEntries([
      ...group,
      ...plan.steps.map(step => [step.output_field, figure(step, rows)]),
    ]) as Row;
  });
  const having = new Query(plan.having ?? {});
  const kept = results.filter(result => having.test(result as Record<string, unknown>));
  return sorted(kept, {
    ...plan.sort,
    ...Object.fromEntries(names.map(name => [name, 1])),
    ...plan.sort,
  }).slice(0, plan.limit);
}

function figure({ type, input_field }: AggregateStep, rows: readonly Row[]): unknown {
  if (type === 'count' && input_field === undefined) return rows.length;
  const values = rows.map(row => row[input_field!]).filter(value => value !== null && value !== undefined);
  if (type === 'count') return values.length;
  const numbers = values as number[];
  const sum = numbers.reduce((total, value) => total + value, 0);
  if (type === 'sum') return Math.round(sum * 1e6) / 1e6;
  if (values.length === 0) return null;
  if (type === 'avg') return Math.round((sum / values.length) * 1e6) / 1e6;
  return numbers.reduce((best, value) => ((type === 'min' ? value < best : value > best) ? value : best));
}

/** Nulls first ascending, ties in insertion order, or against it where the last key descends. */
function sorted(rows: readonly Row[], sort: Readonly<Record<string, 1 | -1>> | undefined): Row[] {
  const keys = Object.entries(sort ?? {});
  return [...rows].sort((a, b) => {
    for (const [name, direction] of keys) {
      const order = compared(a[name] ?? null, b[name] ?? null);
      if (order !== 0) return order * direction;
    }
    return compared(a._id ?? null, b._id ?? null) * (keys.at(-1)?.[1] ?? 1);
  });
}

function compared(a: unknown, b: unknown): number {
  if (a === b) return 0;
  if (a === null) return -1;
  if (b === null) return 1;
  return (a as number) < (b as number) ? -1 : 1;
}

/**
 * True when two plans give the reader the same on these rows: the same figures for the same groups, the same records.
 * How outputs are named does not matter, nor what is shown besides.
 */
export function sameFigures(one: Plan, other: Plan, rows: readonly Row[]): boolean {
  return one.operation === other.operation && figuresOf(one, rows) === figuresOf(other, rows);
}

function figuresOf(plan: Plan, rows: readonly Row[]): string {
  const data = evaluate(plan, rows);
  if (plan.operation !== 'aggregate') return JSON.stringify(data);
  const groups = plan.group_by === undefined ? [] : [plan.group_by].flat().toSorted();
  const results = (data as { results: Row[] }).results.map(result => [
    ...groups.map(name => result[name]),
    ...plan.steps.map(step => [step.type, step.input_field, result[step.output_field]]).sort(),
  ]);
  return JSON.stringify([
    groups,
    plan.sort === undefined ? results.map(row => JSON.stringify(row)).sort() : results,
  ]);
}

export function toolsOf(rows: readonly Row[]): Tools {
  return {
    today: TODAY,
    datesOf: async field => {
      const dates = rows
        .flatMap(row => row[field] ?? [])
        .map(date => String(date).slice(0, 10))
        .sort();
      return dates.length === 0 ? undefined : { first: dates[0]!, last: dates.at(-1)! };
    },
    knownValues: async (field, limit) =>
      [...new Set(rows.flatMap(row => row[field] ?? []))].sort().slice(0, limit),
  };
}
