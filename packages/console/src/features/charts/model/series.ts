import { type Chart, groupsOf } from './chart.js';
import { periodName, type Unit } from './periods.js';
import type { ChartData, ResultRow } from './read-chart.js';

/** A place on the axis of a chart. */
interface Category {
  readonly name: string;
  /** The value grouped by; the beginning of the period in milliseconds for periods. */
  readonly value: unknown;
}

/** One figure over all categories; null where there is nothing. */
export interface Series {
  readonly name: string;
  readonly values: readonly (number | null)[];
}

/** What a chart draws. */
export interface Plot {
  readonly categories: readonly Category[];
  readonly series: readonly Series[];
  /** The unit of the periods, if the categories are periods. */
  readonly unit: Unit | undefined;
  /** Series beyond the eight that can be told apart. The table has them. */
  readonly left: number;
  /** False if some figure is not a number, for example the last date: only a table can show it. */
  readonly isNumeric: boolean;
}

/** Words for values without a text of their own, in the language of the page. */
export interface Words {
  readonly language: string;
  readonly none: string;
  readonly empty: string;
  readonly all: string;
}

/** The most series that colours and patterns can tell apart. */
export const MAX_SERIES = 8;

/** Arranges the results of a chart as categories and series. */
export function plotOf(chart: Chart, data: ChartData, words: Words): Plot {
  const [axis, ...splits] = groupsOf(chart);
  const outputs = chart.aggregate.steps.map(step => step.output_field);
  const categories = new Map<string, Category>();
  const series = new Map<string, Map<string, number | null>>();
  let isNumeric = true;
  const categoryOf = (value: unknown): string => {
    const key = JSON.stringify(value ?? null);
    if (!categories.has(key)) categories.set(key, { name: nameOf(value, data.unit, words), value });
    return key;
  };
  for (const start of data.starts ?? []) categoryOf(start);
  for (const row of data.rows) {
    const value = axis === undefined ? words.all : row[axis];
    const key = categoryOf(data.unit === undefined ? value : Date.parse(String(value)));
    for (const output of outputs) {
      const name = seriesName(
        row,
        splits,
        outputs.length > 1 || splits.length === 0 ? output : undefined,
        words,
      );
      const cell = row[output] ?? null;
      isNumeric &&= cell === null || typeof cell === 'number';
      const values = series.get(name) ?? new Map<string, number | null>();
      series.set(name, values.set(key, typeof cell === 'number' ? cell : null));
    }
  }
  const keys = [...categories.keys()];
  // A period without records of a series counts nothing; an average of nothing is not a number.
  const missing = isAdditive(chart) ? 0 : null;
  const arranged = [...series].map(([name, values]) => ({
    name,
    values: keys.map(key => values.get(key) ?? (values.has(key) ? null : missing)),
  }));
  const shown = arranged.length > MAX_SERIES ? largest(arranged) : arranged;
  return {
    categories: [...categories.values()],
    series: shown,
    unit: data.unit,
    left: arranged.length - shown.length,
    isNumeric,
  };
}

/** True if the figures of parts add up to the figure of the whole, so that they may be stacked and shown as shares. */
export function isAdditive({ aggregate }: Pick<Chart, 'aggregate'>): boolean {
  return aggregate.steps.every(({ type }) => type === 'count' || type === 'sum');
}

function largest(series: readonly Series[]): Series[] {
  const size = ({ values }: Series) => values.reduce<number>((sum, value) => sum + Math.abs(value ?? 0), 0);
  const kept = new Set([...series].sort((a, b) => size(b) - size(a)).slice(0, MAX_SERIES));
  return series.filter(each => kept.has(each));
}

function seriesName(
  row: ResultRow,
  splits: readonly string[],
  output: string | undefined,
  words: Words,
): string {
  const parts = splits.map(split => nameOf(row[split], undefined, words));
  return [...parts, ...(output === undefined ? [] : [output])].join(' · ');
}

/** Names on an axis are cut to this length; the table has whole values. */
const NAME_LENGTH = 80;

/** The text of a value grouped by. */
export function nameOf(value: unknown, unit: Unit | undefined, words: Words): string {
  if (value === null || value === undefined) return words.none;
  if (value === '') return words.empty;
  if (unit !== undefined) return periodName(Number(value), unit, words.language);
  if (typeof value === 'number')
    return new Intl.NumberFormat(words.language, { useGrouping: false }).format(value);
  const text = typeof value === 'string' ? value : JSON.stringify(value);
  return text.length > NAME_LENGTH ? `${text.slice(0, NAME_LENGTH - 1)}…` : text;
}

/** The categories of a pie: the eight largest, or the seven largest and the sum of the others. */
export function pieOf(plot: Plot, otherName: string): Plot {
  const values = plot.series[0]?.values ?? [];
  const ranked = plot.categories.map((category, index) => ({ category, value: values[index] ?? 0 }));
  ranked.sort((a, b) => b.value - a.value);
  const shown = ranked.length > MAX_SERIES ? ranked.slice(0, MAX_SERIES - 1) : ranked;
  const rest = ranked.slice(shown.length);
  if (rest.length > 0) {
    const value = rest.reduce((sum, each) => sum + each.value, 0);
    shown.push({ category: { name: otherName, value: undefined }, value });
  }
  return {
    ...plot,
    categories: shown.map(each => each.category),
    series: [{ name: plot.series[0]?.name ?? '', values: shown.map(each => each.value) }],
  };
}
