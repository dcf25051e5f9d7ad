import { describe, expect, it } from 'vitest';
import type { AggregatePlan, SeveralPlan } from '../plan.js';
import { tableOf } from './table-of.js';

const count = { operation: 'count' } as const;
const sum: AggregatePlan = {
  operation: 'aggregate',
  steps: [{ type: 'sum', input_field: 'amount', output_field: 'sum_amount' }],
};
const several = (more: Partial<SeveralPlan>): SeveralPlan => ({
  operation: 'several',
  by: 'share',
  reads: [
    { name: 'part', plan: count },
    { name: 'whole', plan: count },
  ],
  ...more,
});

describe('the table of several reads', () => {
  it('has a row for each, in their order', () => {
    expect(tableOf(several({ by: 'month' }), [{ count: 2 }, { count: 1 }])).toEqual({
      results: [
        { month: 'part', count: 2 },
        { month: 'whole', count: 1 },
      ],
    });
  });

  it('is ranked by a figure, with missing figures last', () => {
    const reads = ['a', 'b', 'c'].map(name => ({ name, plan: sum }));
    const data = [null, 3, 5].map(value => ({ results: [{ sum_amount: value }] }));
    const ranked = (direction: 1 | -1) =>
      tableOf(several({ reads, sort: { sum_amount: direction } }), data).results.map(row => row.share);
    expect(ranked(-1)).toEqual(['c', 'b', 'a']);
    expect(ranked(1)).toEqual(['b', 'c', 'a']);
  });

  it('states the ratio of each row to the last one, to two decimals', () => {
    const { results } = tableOf(several({ percent: true }), [{ count: 1 }, { count: 3 }]);
    expect(results).toEqual([
      { share: 'part', count: 1, percent: 33.33 },
      { share: 'whole', count: 3, percent: 100 },
    ]);
    const nothing = tableOf(several({ percent: true }), [{ count: 0 }, { count: 0 }]).results;
    expect(nothing.map(({ percent }) => percent)).toEqual([null, null]);
  });

  it('lists the groups of a part one by one', () => {
    const reads = [
      { name: 'part', plan: { ...sum, group_by: 'city' } },
      { name: 'whole', plan: sum },
    ];
    const parts = { results: ['Paris', 'Oslo'].map(city => ({ city, sum_amount: 5 })) };
    expect(tableOf(several({ reads, percent: true }), [parts, { results: [{ sum_amount: 20 }] }])).toEqual({
      results: [
        { share: 'part', city: 'Paris', sum_amount: 5, percent: 25 },
        { share: 'part', city: 'Oslo', sum_amount: 5, percent: 25 },
        { share: 'whole', sum_amount: 20, percent: 100 },
      ],
    });
  });
});
