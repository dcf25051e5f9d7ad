import { describe, expect, it } from 'vitest';
import { isFilterable, withCondition } from './conditions.js';

describe('a value used as a filter', () => {
  it('becomes the filter, or one more condition of it', () => {
    expect(withCondition(undefined, 'year', 1815)).toEqual({ year: 1815 });
    expect(withCondition({}, 'year', null)).toEqual({ year: null });
    expect(withCondition({ lent: true }, 'year', 1815)).toEqual({ lent: true, year: 1815 });
  });

  it('keeps the condition that its field has already', () => {
    expect(withCondition({ year: { $gt: 1 } }, 'year', 5)).toEqual({
      $and: [{ year: { $gt: 1 } }, { year: 5 }],
    });
    expect(withCondition({ year: 1, $and: [{ a: 1 }] }, 'year', 5)).toEqual({
      year: 1,
      $and: [{ a: 1 }, { year: 5 }],
    });
    expect(withCondition({ year: 5 }, 'year', 5)).toEqual({ year: 5 });
  });

  it('finds absent fields and objects that look like operators', () => {
    expect(withCondition(undefined, 'note', undefined)).toEqual({ note: { $exists: false } });
    expect(withCondition(undefined, 'note', { $gt: 1 })).toEqual({ note: { $eq: { $gt: 1 } } });
    expect(withCondition(undefined, 'note', { city: 'Paris' })).toEqual({ note: { city: 'Paris' } });
  });

  it('is refused for names that a filter reads otherwise, and for long values', () => {
    expect(isFilterable('year', 1815)).toBe(true);
    expect(isFilterable('year', undefined)).toBe(true);
    expect(isFilterable('$year', 1)).toBe(false);
    expect(isFilterable('a.b', 1)).toBe(false);
    expect(isFilterable('year', 'x'.repeat(600))).toBe(false);
  });
});
