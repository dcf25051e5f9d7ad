import { describe, expect, it } from 'vitest';
import { LEXICONS } from '../lexicon/lexicon.js';
import type { AggregatePlan, CountPlan, SeveralPlan } from '../plan.js';
import { saidDays, sayPlan } from './say-plan.js';

const count = (filter: CountPlan['filter']): CountPlan => ({ operation: 'count', filter });
const several = (...filters: CountPlan['filter'][]): SeveralPlan => ({
  ...{ operation: 'several', by: 'month' },
  reads: filters.map((filter, at) => ({ name: String(at), plan: count(filter) })),
});
const JANUARY = { day: { $gte: '2025-01-01', $lt: '2025-02-01' } };
const FEBRUARY = { day: { $gte: '2025-02-01', $lt: '2025-03-01' } };
const APRIL = { day: { $gte: '2025-04-01', $lt: '2025-05-01' } };

it('a computed figure is stated without the noise of binary fractions', () => {
  const plan: AggregatePlan = {
    operation: 'aggregate',
    steps: [{ type: 'sum', input_field: 'amount', output_field: 'sum' }],
  };
  const sentence = sayPlan('total of amount', plan)({ results: [{ sum: 26403.770000000008 }] });
  expect(sentence).toContain(': 26403.77.');
});

describe('the days that an answer states', () => {
  it('are those of its only read, with their column', () => {
    expect(saidDays(count(JANUARY), LEXICONS.en)).toBe(' (day from 2025-01-01 to 2025-01-31, UTC)');
    expect(saidDays(count({ status: 'open' }), LEXICONS.en)).toBe('');
  });

  it('are those of all its reads, and a repeated period without a gap is stated once', () => {
    expect(saidDays(several(JANUARY, FEBRUARY), LEXICONS.en)).toBe(
      ' (day from 2025-01-01 to 2025-02-28, UTC)',
    );
    expect(saidDays(several(APRIL, JANUARY), LEXICONS.fr)).toBe(
      ' (day du 2025-01-01 au 2025-01-31; day du 2025-04-01 au 2025-04-30, UTC)',
    );
    const or = { $or: [JANUARY, FEBRUARY] };
    expect(saidDays(several({ ...or, status: 'open' }, or), LEXICONS.en)).toBe(
      ' (day from 2025-01-01 to 2025-02-28, UTC)',
    );
    expect(
      saidDays(
        several({ day: { $in: ['2025-01-06', '2025-01-08'] } }, { day: { $in: ['2025-01-07'] } }),
        LEXICONS.en,
      ),
    ).toBe(' (day from 2025-01-06 to 2025-01-08, UTC)');
    expect(saidDays(several({ status: 'open' }, {}), LEXICONS.en)).toBe('');
  });
});
