import { TcError } from '@typed-collections/client';
import { expect, it } from 'vitest';
import { beginOf, earliestIn, instantOf, keptTime, localText, stepOf } from './kept-time.js';

const NOW = Date.parse('2026-11-23T12:00:00Z');
const settings = { history_days: 7, max_records: 1, ttl_days: 0 };

it('goes back as many days as the collection keeps, but not before it was created', () => {
  const old = { created_at: '2020-01-01T00:00:00Z', settings };
  expect(keptTime(old, NOW)).toEqual({ from: Date.parse('2026-11-16T12:00:01Z'), to: NOW });
  const young = { created_at: '2026-11-23T11:30:00Z', settings };
  expect(keptTime(young, NOW)).toEqual({ from: Date.parse('2026-11-23T11:30:01Z'), to: NOW });
});

it('is nothing if the collection keeps nothing, or has just begun to', () => {
  const created_at = '2020-01-01T00:00:00Z';
  expect(keptTime({ created_at, settings: { ...settings, history_days: 0 } }, NOW)).toBeUndefined();
  expect(keptTime({ created_at: '2026-11-23T12:00:00Z', settings }, NOW)).toBeUndefined();
});

it('begins an hour ago, or where the kept time begins', () => {
  expect(beginOf({ from: 0, to: NOW })).toBe('2026-11-23T11:00:00.000Z');
  expect(beginOf({ from: NOW - 1_000, to: NOW })).toBe('2026-11-23T11:59:59.000Z');
});

it('reaches the present in about 500 steps, and in fewer if the kept time is shorter than that', () => {
  expect(stepOf({ from: NOW - 500_000_000, to: NOW })).toBe(1_000_000);
  expect(stepOf({ from: NOW - 800, to: NOW })).toBe(2);
  expect(stepOf({ from: NOW - 10, to: NOW })).toBe(1);
});

it('knows the earliest instant from the refusal of the service', () => {
  const earliest = '2026-11-20T00:00:00.000Z';
  const refusal = (code: string) => new TcError('too early', { code, status: 400, details: { earliest } });
  expect(earliestIn(refusal('HistoryUnavailable'))).toBe(earliest);
  expect(earliestIn(refusal('InvalidArguments'))).toBeUndefined();
  expect(earliestIn(new Error('broken'))).toBeUndefined();
});

it('is entered in the time zone of the browser', () => {
  const instant = '2026-11-23T12:00:05.000Z';
  expect(instantOf(localText(instant))).toBe(instant);
  expect(instantOf('')).toBeUndefined();
});
