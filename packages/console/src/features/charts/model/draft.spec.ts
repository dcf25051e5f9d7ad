import { describe, expect, it, vi } from 'vitest';
import { chartOf } from './chart.js';
import {
  chartFrom,
  columnsFor,
  type Draft,
  draftOf,
  NEW_DRAFT,
  problemOf,
  SYSTEM_TYPES,
  typesFor,
} from './draft.js';
import { proposalsFor } from './proposals.js';

const types = {
  city: 'text',
  amount: 'double',
  year: 'integer',
  at: 'datetime',
  day: 'date',
  isPaid: 'boolean',
  ...SYSTEM_TYPES,
};
const draft = (changed: Partial<Draft>): Draft => ({ ...NEW_DRAFT, title: 'T', ...changed });

describe('a draft', () => {
  it.each([
    draft({ group: 'city' }),
    draft({ group: 'city', order: 'group', limit: '' }),
    draft({ group: 'city', order: '-group', limit: '3', filter: { x: 1 } }),
    draft({ group: 'city', order: 'figure', type: 'pie' }),
    draft({ figure: 'avg', column: 'amount', group: 'city' }),
    draft({
      figure: 'sum',
      column: 'year',
      group: 'at',
      every: 'week',
      type: 'area',
      order: 'group',
      limit: '',
    }),
    draft({ group: 'created_at', split: 'city', order: 'group', limit: '' }),
    draft({ group: 'city', split: 'isPaid', order: 'group', limit: '' }),
    draft({ figure: 'max', column: 'day', type: 'number', order: 'group', limit: '' }),
  ])('is the same after it was a chart: %j', each => {
    const chart = chartFrom(each, types, 'a');
    expect(chartOf(JSON.parse(JSON.stringify(chart)))).toEqual(chart);
    expect(draftOf(chart)).toEqual(each);
  });

  it('asks only for drawings that can show it', () => {
    expect(typesFor(draft({ group: 'city' }), types)).toEqual(['bar', 'line', 'area', 'pie', 'table']);
    expect(typesFor(draft({ group: '' }), types)).toEqual(['table', 'number']);
    expect(typesFor(draft({ figure: 'avg', column: 'year', group: 'city' }), types)).not.toContain('pie');
    expect(typesFor(draft({ figure: 'max', column: 'at', group: 'city' }), types)).toEqual(['table']);
    expect(chartFrom(draft({ group: '', type: 'pie' }), types, 'a').type).toBe('number');
  });

  it('computes sums and averages of numbers, extremes of dates too', () => {
    expect(columnsFor('avg', types)).toEqual(['amount', 'year']);
    expect(columnsFor('max', types)).toEqual(['amount', 'year', 'at', 'day', 'created_at', 'updated_at']);
  });

  it('has no order and limit of combinations, which would cut groups apart', () => {
    const { aggregate } = chartFrom(draft({ group: 'city', split: 'isPaid' }), types, 'a');
    expect(aggregate).not.toHaveProperty('limit');
    expect(aggregate).not.toHaveProperty('sort');
  });

  it('says what it lacks', () => {
    expect(problemOf(draft({ figure: 'sum' }))).toBe('column');
    expect(problemOf(draft({ group: 'city', limit: '0' }))).toBe('limit');
    expect(problemOf(draft({ group: 'city', limit: '1001' }))).toBe('limit');
    expect(problemOf(draft({ group: 'city', limit: '1000' }))).toBeUndefined();
    expect(problemOf(draft({}))).toBeUndefined();
  });
});

describe('proposed charts', () => {
  it('fit the columns: a date, a text with few values, a number', async () => {
    const distinct = vi.fn(async (column: string) => (column === 'city' ? 3 : 500));
    const proposals = await proposalsFor({ customer_id: 'integer', name: 'text', ...types }, distinct);
    expect(proposals.map(({ kind, column }) => [kind, column])).toEqual([
      ['overTime', 'at'],
      ['byText', 'city'],
      ['average', 'amount'],
    ]);
    for (const { chart } of proposals) expect(chartOf({ ...chart, title: '' })).toBeDefined();
  });

  it('are fewer if there is nothing to count by', async () => {
    const proposals = await proposalsFor({ name: 'text' }, async () => 900);
    expect(proposals.map(({ column }) => column)).toEqual(['created_at']);
  });

  it('count the values of a few columns only', async () => {
    const columns = Object.fromEntries(Array.from({ length: 300 }, (_, index) => [`c${index}`, 'text']));
    const distinct = vi.fn(async () => 500);
    await proposalsFor(columns, distinct);
    expect(distinct.mock.calls.length).toBeLessThanOrEqual(8);
  });
});
