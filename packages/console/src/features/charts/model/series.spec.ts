import { describe, expect, it } from 'vitest';
import type { Chart, Figure } from './chart.js';
import type { ChartData, ResultRow } from './read-chart.js';
import { MAX_SERIES, pieOf, plotOf } from './series.js';

const words = { language: 'en', none: '(none)', empty: '(empty)', all: 'All' };
const chart = (group_by?: string | string[], type: Figure = 'count'): Chart => ({
  id: 'a',
  title: 'A',
  type: 'bar',
  aggregate: { steps: [{ type, input_field: 'x', output_field: 'n' }], ...(group_by && { group_by }) },
});
const plot = (drawn: Chart, rows: ResultRow[], more: Partial<ChartData> = {}) =>
  plotOf(drawn, { rows, isCut: false, ...more }, words);

describe('the plot of a chart', () => {
  it('has a category for each group, also for no value and for the empty text', () => {
    const { categories, series } = plot(chart('city'), [
      { city: null, n: 1 },
      { city: '', n: 2 },
      { city: true, n: 3 },
      { city: 1234, n: 4 },
    ]);
    expect(categories.map(({ name }) => name)).toEqual(['(none)', '(empty)', 'true', '1234']);
    expect(series).toEqual([{ name: 'n', values: [1, 2, 3, 4] }]);
  });

  it('tells the number 1 from the text "1"', () => {
    const rows = [
      { city: 1, n: 1 },
      { city: '1', n: 2 },
    ];
    expect(plot(chart('city'), rows).series[0]?.values).toEqual([1, 2]);
  });

  it('has a series for each value of the second group; a combination without records counts zero', () => {
    const rows = [
      { city: 'Bath', state: 'open', n: 1 },
      { city: 'York', state: 'done', n: 2 },
    ];
    expect(plot(chart(['city', 'state']), rows).series).toEqual([
      { name: 'open', values: [1, 0] },
      { name: 'done', values: [0, 2] },
    ]);
    expect(plot(chart(['city', 'state'], 'avg'), rows).series.map(({ values }) => values)).toEqual([
      [1, null],
      [null, 2],
    ]);
  });

  it('has all periods, also those without records', () => {
    const starts = [Date.parse('2024-01-01'), Date.parse('2024-02-01'), Date.parse('2024-03-01')];
    const rows = [{ at: '2024-02-01T00:00:00.000Z', n: 5 }];
    const { categories, series } = plot(chart('at'), rows, { unit: 'month', starts });
    expect(categories.map(({ name }) => name)).toEqual(['Jan 2024', 'Feb 2024', 'Mar 2024']);
    expect(series[0]?.values).toEqual([0, 5, 0]);
  });

  it('keeps the largest series if there are too many, in their order', () => {
    const rows = Array.from({ length: MAX_SERIES + 2 }, (_, index) => ({
      city: 'Bath',
      state: `s${index}`,
      n: index,
    }));
    const { series, left } = plot(chart(['city', 'state']), rows);
    expect(left).toBe(2);
    expect(series.map(({ name }) => name)).toEqual(['s2', 's3', 's4', 's5', 's6', 's7', 's8', 's9']);
  });

  it('has no numbers for the last date', () => {
    expect(plot(chart('city', 'max'), [{ city: 'Bath', n: '2024-01-01' }]).isNumeric).toBe(false);
    expect(plot(chart('city', 'max'), [{ city: 'Bath', n: null }]).isNumeric).toBe(true);
  });

  it('names several figures of all records', () => {
    const steps = ['min', 'max'].map(type => ({
      type: type as Figure,
      input_field: 'x',
      output_field: type,
    }));
    const { categories, series } = plot({ ...chart(), aggregate: { steps } }, [{ min: 1, max: 9 }]);
    expect(categories.map(({ name }) => name)).toEqual(['All']);
    expect(series.map(({ name }) => name)).toEqual(['min', 'max']);
  });

  it('cuts long names', () => {
    const [category] = plot(chart('city'), [{ city: 'x'.repeat(5_000), n: 1 }]).categories;
    expect(category?.name).toHaveLength(80);
  });
});

describe('a pie', () => {
  it('has the largest slices first, and adds up the others', () => {
    const rows = Array.from({ length: 12 }, (_, index) => ({ city: `c${index}`, n: index + 1 }));
    const { categories, series } = pieOf(plot(chart('city'), rows), 'Others');
    expect(categories.map(({ name }) => name)).toEqual([
      'c11',
      'c10',
      'c9',
      'c8',
      'c7',
      'c6',
      'c5',
      'Others',
    ]);
    expect(series[0]?.values).toEqual([12, 11, 10, 9, 8, 7, 6, 15]);
  });
});
