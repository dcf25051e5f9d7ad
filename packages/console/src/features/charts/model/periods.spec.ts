import { describe, expect, it } from 'vitest';
import { after, latestPeriods, MAX_PERIODS, periodName, shortestUnit, type Unit } from './periods.js';

const at = (text: string) => Date.parse(text);
const text = (instant: number) => new Date(instant).toISOString();

describe('a period', () => {
  it.each([
    ['hour', '2024-02-29T13:00:00.000Z', '2024-02-29T14:00:00.000Z'],
    ['day', '2024-02-29T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
    ['week', '2024-02-26T00:00:00.000Z', '2024-03-04T00:00:00.000Z'],
    ['month', '2024-02-01T00:00:00.000Z', '2024-03-01T00:00:00.000Z'],
    ['year', '2024-01-01T00:00:00.000Z', '2025-01-01T00:00:00.000Z'],
    ['week', '1969-12-29T00:00:00.000Z', '1970-01-05T00:00:00.000Z'],
    ['year', '0045-01-01T00:00:00.000Z', '0046-01-01T00:00:00.000Z'],
    ['month', '2023-12-01T00:00:00.000Z', '2024-01-01T00:00:00.000Z'],
  ] as const)('of a %s that begins at %s ends at %s', (unit, start, end) => {
    expect(text(after(at(start), unit))).toBe(end);
  });

  it('has a name in the language of the page', () => {
    expect(periodName(at('2024-03-01T00:00:00Z'), 'month', 'en')).toBe('Mar 2024');
    expect(periodName(at('2024-03-01T00:00:00Z'), 'month', 'fr')).toBe('mars 2024');
  });
});

describe('the periods of a chart', () => {
  const months = (...starts: number[]) => starts.map(start => text(start).slice(0, 7));

  it('follow each other from the first to the last with results, without a gap', () => {
    const found = ['2024-02-01', '2023-12-01', '2023-11-01'].map(at);
    const { starts, isCut } = latestPeriods(found, 'month', false);
    expect(months(...starts)).toEqual(['2023-11', '2023-12', '2024-01', '2024-02']);
    expect(isCut).toBe(false);
  });

  it('are the latest ones if there are too many', () => {
    const { starts, isCut } = latestPeriods([at('2024-02-01'), at('2020-01-01')], 'day', false);
    expect(starts).toHaveLength(MAX_PERIODS);
    expect(text(starts.at(-1) as number)).toBe('2024-02-01T00:00:00.000Z');
    expect(isCut).toBe(true);
  });

  it.each([
    ['2024-01-01T08:00:00Z', '2024-01-01T20:00:00Z', 'hour'],
    ['2024-01-01T08:00:00Z', '2024-01-20T20:00:00Z', 'day'],
    ['2024-01-01T08:00:00Z', '2024-08-20T20:00:00Z', 'week'],
    ['2024-01-01T08:00:00Z', '2026-08-20T20:00:00Z', 'month'],
    ['1990-01-01T08:00:00Z', '2026-08-20T20:00:00Z', 'year'],
  ])('from %s to %s are by %s if the chart does not choose', (first, last, unit) => {
    expect(shortestUnit(at(first), at(last))).toBe(unit as Unit);
  });
});
