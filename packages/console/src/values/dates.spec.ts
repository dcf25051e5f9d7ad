import { afterEach, describe, expect, it, vi } from 'vitest';
import { clockOf, instantOf, presetValue } from './dates.js';

/** A Thursday. */
const NOW = new Date('2026-01-01T10:30:15.250Z');

describe('dates counted from now', () => {
  it.each([
    ['now', '2026-01-01'],
    ['today', '2026-01-01'],
    ['yesterday', '2025-12-31'],
    ['daysAgo7', '2025-12-25'],
    ['daysAgo30', '2025-12-02'],
    ['weekStart', '2025-12-29'],
    ['monthStart', '2026-01-01'],
    ['lastMonthStart', '2025-12-01'],
    ['yearStart', '2026-01-01'],
  ] as const)('%s is the day %s', (preset, day) => {
    expect(presetValue(preset, 'date', 'utc', NOW)).toBe(day);
  });

  it('of a datetime are the first instant of the day in the zone', () => {
    expect(presetValue('yesterday', 'datetime', 'utc', NOW)).toBe('2025-12-31T00:00:00.000Z');
    const local = new Date(presetValue('today', 'datetime', 'local', NOW));
    expect([local.getHours(), local.getMinutes(), local.getDate()]).toEqual([0, 0, NOW.getDate()]);
  });

  it('write now as it is', () => {
    expect(presetValue('now', 'datetime', 'utc', NOW)).toBe('2026-01-01T10:30:15.250Z');
  });
});

describe('clocks', () => {
  afterEach(() => vi.unstubAllEnvs());

  it.each(['utc', 'local'] as const)('of the zone %s show the instant that they give', zone => {
    for (const instant of [
      '2026-01-31T09:30:00.000Z',
      '2026-07-31T23:59:59.120Z',
      '1999-01-01T00:00:00.000Z',
    ]) {
      expect(instantOf(clockOf(instant, zone), zone)).toBe(instant);
    }
  });

  it('keep the seconds of a year in which the zone had local mean time', () => {
    vi.stubEnv('TZ', 'Europe/Paris');
    for (const clock of ['0002-11-28T10:00:00', '1891-01-01T00:00:01', '2026-03-29T02:30:00']) {
      const instant = instantOf(clock, 'local');
      expect(instantOf(clockOf(instant, 'local'), 'local')).toBe(instant);
    }
    expect(clockOf(instantOf('0002-11-28T10:00:00', 'local'), 'local')).toBe('0002-11-28T10:00:00');
  });

  it('read an offset', () => {
    expect(clockOf('2026-01-31T10:30:00+01:00', 'utc')).toBe('2026-01-31T09:30:00');
  });

  it('read what an input without seconds gives', () => {
    expect(instantOf('2026-01-31T09:30', 'utc')).toBe('2026-01-31T09:30:00.000Z');
  });

  it('say nothing for text that is no instant', () => {
    expect(clockOf('soon', 'utc')).toBe('');
    expect(instantOf('', 'utc')).toBe('');
  });
});
