import { describe, expect, it } from 'vitest';
import { planOf, resultOf, shownBy } from './plan.js';

describe('the plan of an answer', () => {
  it('shows the records that it reads', () => {
    const plan = planOf({ operation: 'query', filter: { status: 'open' }, sort: { amount: -1 }, limit: 10 });
    expect(shownBy(plan!)).toEqual({ filter: { status: 'open' }, sort: { amount: -1 } });
  });

  it('shows the records that it counts, in their order', () => {
    const plan = planOf({ operation: 'aggregate', filter: { a: 1 }, sort: { sum_amount: -1 }, steps: [] });
    expect(shownBy(plan!)).toEqual({ filter: { a: 1 }, sort: {} });
    expect(shownBy({ operation: 'several' })).toBeUndefined();
  });

  it('is missing for a refused question', () => {
    expect(planOf(null)).toBeUndefined();
    expect(planOf({ operation: 'future' })).toBeUndefined();
  });
});

describe('the result of an answer', () => {
  it.each([
    [{ count: 3 }, { figure: 3 }],
    [
      { field: 'customer', count: 2, values: ['Ada', null] },
      { names: ['customer'], rows: [{ customer: 'Ada' }, { customer: null }] },
    ],
    [{ results: [{ a: 1 }, { b: 2 }] }, { names: ['a', 'b'], rows: [{ a: 1 }, { b: 2 }] }],
    [
      { count: 1, records: [{ _id: '1', created_at: 'x', t: 1 }] },
      { names: ['_id', 't', 'created_at'], rows: [{ _id: '1', created_at: 'x', t: 1 }] },
    ],
    [{}, undefined],
  ])('%j', (data, result) => {
    expect(resultOf(data)).toEqual(result);
  });
});
