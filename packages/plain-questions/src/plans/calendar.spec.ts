import { describe, expect, it } from 'vitest';
import type { Field } from '../fields/fields.js';
import { LEXICONS } from '../lexicon/lexicon.js';
import { bucketsOf } from './calendar.js';
import { nameOfSpan, type Unit } from './days.js';

const day: Field = { name: 'day', kind: 'day', words: ['day'], system: false };
const at: Field = { name: 'at', kind: 'instant', words: ['at'], system: false };
const named = (unit: Unit | 'weekday', start: string, end: string) =>
  bucketsOf(unit, at, { start, end }, LEXICONS.en)?.map(({ name }) => name);

describe('groups by the calendar', () => {
  it('have no gaps, and the first and last are limited to the named period', () => {
    expect(bucketsOf('month', at, { start: '2024-01-15', end: '2024-03-10' }, LEXICONS.en)).toEqual([
      { name: '2024-01-15/2024-01-31', filter: { at: { $gte: '2024-01-15', $lt: '2024-02-01' } } },
      { name: '2024-02', filter: { at: { $gte: '2024-02-01', $lt: '2024-03-01' } } },
      { name: '2024-03-01/2024-03-09', filter: { at: { $gte: '2024-03-01', $lt: '2024-03-10' } } },
    ]);
  });

  it('have the ISO 8601 name of the whole unit', () => {
    expect(named('quarter', '2025-07-01', '2026-04-01')).toEqual(['2025-Q3', '2025-Q4', '2026-Q1']);
    expect(named('year', '2024-01-01', '2026-01-01')).toEqual(['2024', '2025']);
    expect(named('day', '2024-02-28', '2024-03-01')).toEqual(['2024-02-28', '2024-02-29']);
    // ISO weeks belong to the year of their Thursday; 2020 had 53 weeks.
    expect(named('week', '2025-12-29', '2026-01-12')).toEqual(['2026-W01', '2026-W02']);
    expect(named('week', '2020-12-28', '2021-01-11')).toEqual(['2020-W53', '2021-W01']);
    expect(nameOfSpan({ start: '2025-12-31', end: '2026-01-01' })).toBe('2025-12-31');
  });

  it('are at most as many as the weeks that a year touches', () => {
    // 2028 begins on a Saturday, 2012 on a Sunday and is a leap year.
    expect(named('week', '2012-01-01', '2013-01-01')).toHaveLength(54);
    expect(named('week', '2012-01-01', '2013-01-08')).toBeUndefined();
    expect(named('day', '2024-01-01', '2024-02-24')).toHaveLength(54);
    expect(named('day', '2024-01-01', '2024-02-25')).toBeUndefined();
  });

  it('by weekday contain each day of the period once', () => {
    const span = { start: '2024-05-01', end: '2024-05-09' };
    const days = bucketsOf('weekday', day, span, LEXICONS.en)!.map(({ name, filter }) => [name, filter]);
    expect(days).toEqual([
      ['Monday', { day: { $in: ['2024-05-06'] } }],
      ['Tuesday', { day: { $in: ['2024-05-07'] } }],
      ['Wednesday', { day: { $in: ['2024-05-01', '2024-05-08'] } }],
      ['Thursday', { day: { $in: ['2024-05-02'] } }],
      ['Friday', { day: { $in: ['2024-05-03'] } }],
      ['Saturday', { day: { $in: ['2024-05-04'] } }],
      ['Sunday', { day: { $in: ['2024-05-05'] } }],
    ]);
    expect(bucketsOf('weekday', at, { start: '2024-05-06', end: '2024-05-08' }, LEXICONS.fr)![0]).toEqual({
      name: 'lundi',
      filter: { $or: [{ at: { $gte: '2024-05-06', $lt: '2024-05-07' } }] },
    });
    expect(named('weekday', '2024-01-01', '2025-01-01')).toHaveLength(7);
    expect(named('weekday', '2024-01-01', '2025-01-02')).toBeUndefined();
  });
});
