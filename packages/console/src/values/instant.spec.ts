import { describe, expect, it } from 'vitest';
import { formatInstant } from './dates.js';

describe('an instant', () => {
  it('is shown with date, time and the name of its zone', () => {
    expect(formatInstant('2026-11-22T14:03:05.000Z', 'en', 'UTC')).toBe('2026-11-22 14:03:05 UTC');
    expect(formatInstant('2026-11-22T14:03:05.000Z', 'en', 'Europe/Paris')).toBe('2026-11-22 15:03:05 GMT+1');
    expect(formatInstant('2026-07-01T22:30:00.000Z', 'en', 'Europe/Paris')).toBe('2026-07-02 00:30:00 GMT+2');
    expect(formatInstant('2026-07-01T22:30:00.000Z', 'fr', 'Europe/Paris')).toBe('2026-07-02 00:30:00 UTC+2');
  });

  it('has milliseconds unless they are zero', () => {
    expect(formatInstant('2026-11-22T14:03:05.007Z', 'en', 'UTC')).toBe('2026-11-22 14:03:05.007 UTC');
  });

  it('stays as it is when it cannot be read', () => {
    expect(formatInstant('soon', 'en', 'UTC')).toBe('soon');
  });
});
