import { describe, expect, it } from 'vitest';
import { columnValue, localValue } from './csv-values.js';
import { type LocalStyle, LocalValues } from './local-values.js';

const read = (type: Parameters<typeof columnValue>[0], text: string, style: LocalStyle) =>
  localValue(type, text, new LocalValues(style));

describe('a number', () => {
  it.each<[string, '.' | ',', unknown]>([
    ['1.234,5', ',', 1234.5],
    ['-12 345,25', ',', -12345.25],
    ["1'234,5", ',', 1234.5],
    ['1,5e3', ',', 1500],
    [',5', ',', 0.5],
    ['+7', ',', 7],
    ['1,234.5', '.', 1234.5],
    ['1’234.5', '.', 1234.5],
    ['1.5', ',', '1.5'],
    ['1,5', '.', '1,5'],
    ['12,34,567', '.', '12,34,567'],
    ['1.234.56', ',', '1.234.56'],
    ['- 5', ',', '- 5'],
    ['e5', ',', 'e5'],
    [' ', ',', ' '],
  ])('%j with %j is %j: texts that are not understood stay', (text, decimal, value) => {
    expect(read('double', text, { decimal })).toBe(value);
  });

  it('is read as before without a sign for decimals', () => {
    expect(read('double', '1.5', { dates: 'dmy' })).toBe(1.5);
    expect(read('integer', '1.234', { decimal: ',' })).toBe(1234);
    expect(read('integer', '1,5', { decimal: ',' })).toBe('1.5');
  });
});

it.each<[string, unknown]>([
  ['Ja', true],
  [' oui ', true],
  ['1', true],
  ['FAUX', false],
  ['n', false],
  ['maybe', 'maybe'],
])('%j in a column of booleans is %j', (text, value) => {
  expect(read('boolean', text, { decimal: ',' })).toBe(value);
});

describe('a date', () => {
  it.each<[string, 'ymd' | 'dmy' | 'mdy', string]>([
    ['24.06.2026', 'dmy', '2026-06-24'],
    ['4/6/2026', 'dmy', '2026-06-04'],
    ['4/6/2026', 'mdy', '2026-04-06'],
    ['2026-06-24', 'mdy', '2026-06-24'],
    ['31.02.2026', 'dmy', '31.02.2026'],
    ['24.06.26', 'dmy', '24.06.26'],
    ['24.06.2026', 'ymd', '24.06.2026'],
    ['24.06/2026', 'dmy', '24.06/2026'],
    ['24.06.2026 10:00', 'dmy', '24.06.2026 10:00'],
  ])('%j in the order %s is %j', (text, dates, value) => {
    expect(read('date', text, { dates })).toBe(value);
  });
});

describe('a time', () => {
  it.each<[string, LocalStyle, string]>([
    ['24.06.2026 14:30', { dates: 'dmy', zone: 'Europe/Berlin' }, '2026-06-24T12:30:00.000Z'],
    ['6/24/2026 2:30 pm', { dates: 'mdy', zone: 'America/New_York' }, '2026-06-24T18:30:00.000Z'],
    ['6/24/2026, 12:05:06 AM', { dates: 'mdy', zone: 'UTC' }, '2026-06-24T00:05:06.000Z'],
    ['2026-06-24 14:30:15.1239', { zone: 'Asia/Kolkata' }, '2026-06-24T09:00:15.123Z'],
    ['2026-06-24', { zone: 'Europe/Berlin' }, '2026-06-23T22:00:00.000Z'],
    ['2026-06-24T10:00:00+05:00', { zone: 'Europe/Berlin' }, '2026-06-24T05:00:00.000Z'],
    ['2026-10-25 02:30', { zone: 'Europe/Berlin' }, '2026-10-25T00:30:00.000Z'],
    ['2026-03-29 02:30', { zone: 'Europe/Berlin' }, '2026-03-29T01:30:00.000Z'],
    ['2011-12-30 12:00', { zone: 'Pacific/Apia' }, '2011-12-30T22:00:00.000Z'],
    ['2026-04-05 01:45', { zone: 'Australia/Lord_Howe' }, '2026-04-04T14:45:00.000Z'],
    ['0001-01-01', { zone: 'Europe/Berlin' }, '0001-01-01'],
    ['24.06.2026 14:30', { dates: 'dmy' }, '24.06.2026 14:30'],
    ['2026-06-24 24:00', { zone: 'UTC' }, '2026-06-24 24:00'],
    ['6/24/2026 13:00 PM', { dates: 'mdy', zone: 'UTC' }, '6/24/2026 13:00 PM'],
  ])('%j with %j is %j', (text, style, value) => {
    expect(read('datetime', text, style)).toBe(value);
  });
});
