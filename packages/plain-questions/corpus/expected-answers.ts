import type { Plan, PlanData } from '../src/plan.js';
import type { Row } from './fixtures.js';

/**
 * The content of an answer, found in plain JavaScript: a figure; figures or values in a row; figures by group, in the order
 * of the array where the order is part of the answer; the ids of records.
 */
export type ExpectedAnswer =
  | 'refused'
  | number
  | null
  | readonly unknown[]
  | Readonly<Record<string, unknown>>;

/** A question, and its answer for the rows. */
export type Asked = readonly [
  question: string,
  expected: 'refused' | ((rows: readonly Row[]) => ExpectedAnswer),
];

/** Rows that have one of these values. */
export const is =
  (field: string, ...values: readonly unknown[]) =>
  (row: Row): boolean =>
    values.includes(row[field]);

/** Rows whose number is greater; null is not. */
export const over = (field: string, bound: number) => (row: Row) =>
  typeof row[field] === 'number' && row[field] > bound;

/** The answer in the data of a plan, in the form of `expected`. */
export function answerOf(plan: Plan, data: PlanData, expected: ExpectedAnswer): ExpectedAnswer {
  const one = typeof expected === 'number' || expected === null;
  if ('records' in data)
    return data.records.map(record => record._id ?? Object.values(record).join('|')).toSorted(inOrder(plan));
  if ('values' in data) return one ? data.count : [...data.values].sort();
  if (!('results' in data)) return data.count;
  if (plan.operation === 'aggregate' && plan.group_by === undefined) {
    const figures = plan.steps.map(step => rounded(data.results[0]![step.output_field]));
    return one ? (figures[0] as number | null) : figures;
  }
  const rows = data.results.map(row => {
    const names = namesOf(plan, row);
    const rest = Object.entries(row).filter(([name]) => !names.includes(name) && name !== hiddenIn(plan));
    const figures = rest.map(([, value]) => rounded(value));
    const named = names.map(name => String(row[name] ?? '')).join('|');
    return [named, figures.length === 1 ? figures[0] : figures] as const;
  });
  return Array.isArray(expected) ? rows : Object.fromEntries(rows);
}

/** The columns of a row that say what it is about. */
function namesOf(plan: Plan, row: Row): readonly string[] {
  if (plan.operation === 'aggregate') return [plan.group_by ?? []].flat();
  if (plan.operation !== 'several') return [];
  const { plan: read } = plan.reads.find(({ name }) => name === row[plan.by])!;
  return read.operation === 'aggregate' && read.group_by !== undefined ? [read.group_by].flat() : [plan.by];
}

/** Groups are compared by their values alone. */
function hiddenIn(plan: Plan): string | undefined {
  return plan.operation === 'several' ? plan.by : undefined;
}

/** Records without an order of their own are compared by id. */
function inOrder(plan: Plan): ((a: unknown, b: unknown) => number) | undefined {
  return plan.operation === 'query' && plan.sort !== undefined ? () => 0 : undefined;
}

function rounded(value: unknown): unknown {
  return typeof value === 'number' ? Math.round(value * 100) / 100 : value;
}

// The few figures that tables are made of.

type Test = (row: Row) => unknown;

export const counted =
  (test: Test = () => true) =>
  (rows: readonly Row[]): number =>
    rows.filter(test).length;

export const summed =
  (field: string, test: Test = () => true) =>
  (rows: readonly Row[]): number =>
    rounded(numbers(field, rows.filter(test)).reduce((sum, value) => sum + value, 0)) as number;

export const averaged =
  (field: string, test: Test = () => true) =>
  (rows: readonly Row[]): number | null => {
    const values = numbers(field, rows.filter(test));
    return values.length === 0
      ? null
      : (rounded(values.reduce((sum, value) => sum + value, 0) / values.length) as number);
  };

export const highest =
  (field: string, test: Test = () => true) =>
  (rows: readonly Row[]): number =>
    Math.max(...numbers(field, rows.filter(test)));

export const lowest =
  (field: string, test: Test = () => true) =>
  (rows: readonly Row[]): number =>
    Math.min(...numbers(field, rows.filter(test)));

function numbers(field: string, rows: readonly Row[]): number[] {
  return rows.map(row => row[field]).filter(value => typeof value === 'number');
}

type Figure = (rows: readonly Row[]) => unknown;

/** A figure for each value of a field, null among them. */
export const by =
  (field: string, figure: Figure, test: Test = () => true) =>
  (rows: readonly Row[]): Record<string, unknown> => {
    const found = rows.filter(test);
    const groups = [...new Set(found.map(row => row[field] ?? null))];
    return Object.fromEntries(
      groups.map(group => [String(group ?? ''), figure(found.filter(row => (row[field] ?? null) === group))]),
    );
  };

/** The groups of the highest figures, best first, equals by their name. */
export const best =
  (count: number, groups: (rows: readonly Row[]) => Record<string, unknown>, direction: 1 | -1 = -1) =>
  (rows: readonly Row[]): readonly unknown[] =>
    Object.entries(groups(rows))
      .sort()
      .sort(([, a], [, b]) => direction * ((a as number) - (b as number)))
      .slice(0, count);

/** A figure for each of some names. */
export const rowsOf =
  (tests: Readonly<Record<string, Test>>, figure: (test: Test) => Figure) =>
  (rows: readonly Row[]): Record<string, unknown> =>
    Object.fromEntries(Object.entries(tests).map(([name, test]) => [name, figure(test)(rows)]));

/** Two figures, and the first as a percentage of the second. */
export const shareOf =
  (part: Figure, whole: Figure) =>
  (rows: readonly Row[]): Record<string, unknown> => {
    const [one, all] = [part(rows) as number, whole(rows) as number];
    return { part: [one, rounded((one / all) * 100)], whole: [all, 100] };
  };

/** Days from the first to the one before the second, of a date or an instant. */
export const within =
  (field: string, start: string, end: string): Test =>
  row =>
    typeof row[field] === 'string' && row[field] >= start && row[field] < end;

/** A figure for each month of a year, or for those from one to another. */
export const months =
  (field: string, year: number, figure: (test: Test) => Figure, from = 1, to = 12) =>
  (rows: readonly Row[]): Record<string, unknown> => {
    const names = Array.from(
      { length: to - from + 1 },
      (_, index) => `${year}-${String(from + index).padStart(2, '0')}`,
    );
    return Object.fromEntries(
      names.map(name => [name, figure(row => String(row[field] ?? '').startsWith(name))(rows)]),
    );
  };

export const ids =
  (test: Test, order?: (a: Row, b: Row) => number, limit = 100) =>
  (rows: readonly Row[]): readonly unknown[] => {
    const found = rows.filter(test);
    return (order ? found.toSorted(order) : found).slice(0, limit).map(row => row._id);
  };

/** The one record of a place in an order. */
export const placed =
  (place: number, order: (a: Row, b: Row) => number) =>
  (rows: readonly Row[]): readonly unknown[] =>
    rows
      .toSorted(order)
      .slice(place - 1, place)
      .map(row => row._id);

/** The different values of a field. */
export const different =
  (field: string, test: Test = () => true) =>
  (rows: readonly Row[]): readonly unknown[] =>
    [...new Set(rows.filter(test).map(row => row[field]))].filter(value => value !== null).sort();

export const and =
  (...tests: Test[]): Test =>
  row =>
    tests.every(test => test(row));
