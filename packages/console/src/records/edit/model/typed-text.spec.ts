import { afterEach, describe, expect, it, vi } from 'vitest';
import type { FieldType } from '../../values/cell-value.js';
import { cellText, pasted, textOf, typed } from './typed-text.js';

const nullable = (type: FieldType) => ({ type, isNullable: true });
const required = (type: FieldType) => ({ type, isNullable: false });

afterEach(() => vi.unstubAllEnvs());

describe('a text as a value of a column', () => {
  it.each<[FieldType, string, string, unknown]>([
    ['text', '', 'en', ''],
    ['text', ' a ', 'en', ' a '],
    ['integer', '1,815', 'en', 1815],
    ['integer', '1 815', 'fr', 1815],
    ['integer', '1.815', 'de', 1815],
    ['double', '1,5', 'fr', 1.5],
    ['double', '1,500', 'fr', 1.5],
    ['double', '1,5', 'en', 1.5],
    ['double', '1,500.25', 'en', 1500.25],
    ['double', '1.234,5', 'de', 1234.5],
    ['double', '−2.5', 'en', -2.5],
    ['double', '0.125', 'de', 0.125],
    ['double', '0,125', 'en', 0.125],
    ['double', '49,628', 'de', 49.628],
    ['double', '1.234.567', 'de', 1234567],
    ['double', '12 345,678', 'en', 12345.678],
    ['boolean', 'VRAI', 'fr', true],
    ['boolean', 'no', 'en', false],
    ['boolean', 'ja', 'de', true],
    ['boolean', 'Nein', 'en', false],
    ['date', '2026-02-28', 'fr', '2026-02-28'],
    ['date', '28/2/2026', 'fr', '2026-02-28'],
    ['date', '2/28/2026', 'en-US', '2026-02-28'],
    ['date', '28.02.2026', 'de', '2026-02-28'],
    ['datetime', '2026-01-31T10:30:00.250+01:00', 'en', '2026-01-31T09:30:00.250Z'],
    ['array', 'one\ntwo', 'en', ['one', 'two']],
    ['array', 'rot, blau', 'de', ['rot', 'blau']],
    ['array', 'Paris, France\nBerlin', 'en', ['Paris, France', 'Berlin']],
    ['array', '["one,\\ntwo"]', 'en', ['one,\ntwo']],
    ['json', '{"a": [1]}', 'en', { a: [1] }],
    ['integer', '', 'en', null],
    ['flexible', '12', 'en', 12],
    ['flexible', 'true', 'en', true],
    ['flexible', 'twelve', 'en', 'twelve'],
    ['flexible', '1,5', 'de', 1.5],
    ['flexible', '49.628', 'de', 49.628],
    ['flexible', '-0.5', 'en', -0.5],
    // Codes keep all their characters.
    ...['0142685300', '04109', '+49 341 123', '1 2 3', '1e5', '1.50', '12345678901234567890'].map(
      (code): [FieldType, string, string, unknown] => ['flexible', code, 'en', code],
    ),
  ])('of type %s: %j in %s', (type, text, locale, value) => {
    expect(typed(text, nullable(type), locale)).toEqual({ value });
  });

  it.each<[FieldType, string, string]>([
    ['integer', '1.5', 'en'],
    ['integer', 'many', 'en'],
    ['integer', '9007199254740993', 'en'],
    ['double', '1.234,5', 'en'],
    ['double', 'Infinity', 'en'],
    ['double', '1 2 3', 'en'],
    ['double', '+33 1 42 68 53 00', 'fr'],
    ['boolean', 'perhaps', 'en'],
    ['date', '31/02/2026', 'fr'],
    ['date', '1/2/26', 'fr'],
    ['datetime', 'tomorrow', 'en'],
    ['datetime', '2026-02-30T10:00:00Z', 'en'],
    ['array', '[1]', 'en'],
    ['json', '{a}', 'en'],
  ])('of type %s is refused: %j in %s', (type, text, locale) => {
    expect(typed(text, nullable(type), locale)).toEqual({ text, problem: type });
  });

  it.each([
    ['49.628', 'de'],
    ['1.234', 'de'],
    ['1,234', 'en'],
  ])('is refused as a decimal number if it can be read as two numbers: %j in %s', (text, locale) => {
    expect(typed(text, nullable('double'), locale)).toEqual({ text, problem: 'ambiguous' });
  });

  it('is refused if it is empty and the column cannot be null', () => {
    expect(typed('', required('integer'), 'en')).toEqual({ text: '', problem: 'required' });
    expect(pasted('', required('text'), 'en')).toEqual({ value: '' });
    expect(pasted('', nullable('text'), 'en')).toEqual({ value: null });
  });

  it('stays a text in a flexible field that has one, and must be JSON where it has JSON', () => {
    expect(typed('12', nullable('flexible'), 'en', '11')).toEqual({ value: '12' });
    expect(typed('[2]', nullable('flexible'), 'en', [1])).toEqual({ value: [2] });
    expect(typed('2]', nullable('flexible'), 'en', [1])).toEqual({ text: '2]', problem: 'json' });
  });

  it('reads times without offset in the zone of the browser', () => {
    const local = new Date(2026, 0, 31, 10, 30, 5, 250).toISOString();
    expect(typed('2026-01-31 10:30:05.25', nullable('datetime'), 'en')).toEqual({ value: local });
    expect(typed('31/01/2026 10:30:05,250', nullable('datetime'), 'fr')).toEqual({ value: local });
  });

  it.each<[FieldType, unknown]>([
    ['text', 'a\tb'],
    ['integer', -7],
    ['double', 1234.5],
    ['boolean', false],
    ['date', '2026-01-31'],
    ['datetime', '2026-01-31T09:30:00.250Z'],
    ['json', { a: [1, 'x'] }],
    ['json', 'text'],
    ['double', 49.628],
    ['double', 1e21],
    ['double', 1e-7],
    ['array', ['one', 'two']],
    ['array', ['one, two']],
    ['array', ['one, two', 'three']],
    ['array', []],
    ['array', ['']],
    ['array', ['[', 'two\nlines']],
    ['flexible', 3.5],
    ['flexible', 49.628],
    ['flexible', 1e21],
    ['flexible', 1e-7],
    ['flexible', '04109'],
    ['flexible', { deep: true }],
  ])('of type %s says in an editor and in a spreadsheet what it says in the record: %j', (type, value) => {
    for (const locale of ['en', 'fr', 'de']) {
      expect(typed(textOf(value, type, locale), nullable(type), locale, value)).toEqual({ value });
      expect(pasted(cellText(value, type, locale), nullable(type), locale, value)).toEqual({ value });
    }
  });

  it('keeps both instants of an hour that the clocks show twice', () => {
    vi.stubEnv('TZ', 'Europe/Paris');
    for (const instant of ['2026-10-25T00:30:00.000Z', '2026-10-25T01:30:00.000Z']) {
      const text = cellText(instant, 'datetime', 'fr');
      expect(pasted(text, nullable('datetime'), 'fr')).toEqual({ value: instant });
    }
  });

  it('has the decimal sign of the locale', () => {
    expect(textOf(1.5, 'double', 'fr')).toBe('1,5');
    expect(textOf(1.5, 'double', 'en')).toBe('1.5');
  });
});
