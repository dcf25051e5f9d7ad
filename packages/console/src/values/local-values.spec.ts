import { describe, expect, it } from 'vitest';
import { mostlyOfType, serviceText, serviceTexts, styleOf } from './local-values.js';

const FRENCH = { decimal: ',', dates: 'dmy' } as const;
const AMERICAN = { decimal: '.', dates: 'mdy' } as const;

describe('a value for the service', () => {
  it.each([
    ['1,5', 'double', '1.5'],
    ['1 234,56', 'double', '1234.56'],
    ['1\u202f234,56', 'double', '1234.56'],
    ['1.234', 'integer', '1234'],
    ['-0,5', 'double', '-0.5'],
    ['1.5', 'double', '1.5'],
    ['twelve', 'double', 'twelve'],
    ['31/12/2026', 'date', '2026-12-31'],
    ['1.2.2026', 'date', '2026-02-01'],
    ['31/13/2026', 'date', '31/13/2026'],
    ['2026-12-31', 'date', '2026-12-31'],
    ['oui', 'boolean', 'true'],
    ['Non', 'boolean', 'false'],
    ['perhaps', 'boolean', 'perhaps'],
    ['1,5', 'text', '1,5'],
    ['1,5', undefined, '1,5'],
  ] as const)('%j in a column of the type %s is %j', (text, type, expected) => {
    expect(serviceText(text, type, FRENCH)).toBe(expected);
  });

  it('has the month first where the file has', () => {
    expect(serviceText('12/31/2026', 'date', AMERICAN)).toBe('2026-12-31');
    expect(serviceText('1,234.5', 'double', AMERICAN)).toBe('1234.5');
  });

  it.each([
    ['30/02/2026', 'date', '2026-02-30'],
    ['31/04/2026 18:30', 'datetime', '31/04/2026 18:30'],
    ['2026-02-30 10:00', 'datetime', '2026-02-30 10:00'],
    ['2026-02-30', 'datetime', '2026-02-30'],
  ] as const)('%j of type %s is no other day, so that the service refuses it', (text, type, expected) => {
    expect(serviceText(text, type, FRENCH)).toBe(expected);
  });

  it('is an instant of the zone of the browser if the file has no zone', () => {
    const instant = new Date('2026-12-31T18:30:00').toISOString();
    expect(serviceText('31/12/2026 18:30', 'datetime', FRENCH)).toBe(instant);
    expect(serviceText('2026-12-31 18:30:00', 'datetime', FRENCH)).toBe(instant);
    expect(serviceText('2026-12-31T18:30:00Z', 'datetime', FRENCH)).toBe('2026-12-31T18:30:00Z');
  });
});

describe('how values are written', () => {
  it.each([
    [['1,5', '2'], ',', 'ymd'],
    [['1.5', '2'], '.', 'ymd'],
    [['1,234'], '.', 'ymd'],
    [['1.234,50'], ',', 'ymd'],
    [['1,234.50'], '.', 'ymd'],
    [['31/12/2026', '01/02/2026'], '.', 'dmy'],
    [['12/31/2026', '01/02/2026'], '.', 'mdy'],
    [['01/02/2026'], '.', 'mdy'],
    [['01.02.2026'], '.', 'dmy'],
    [['2026-12-31'], '.', 'ymd'],
  ])('%j: decimals after %j, dates %s', (texts, decimal, dates) => {
    expect(styleOf(texts, 'mdy')).toEqual({ decimal, dates });
  });
});

describe('the texts of a field', () => {
  it.each([
    [
      ['1,5', null, '2'],
      ['1.5', null, '2'],
    ],
    [
      ['31/12/2026', ''],
      ['2026-12-31', ''],
    ],
    [
      ['oui', 'non'],
      ['true', 'false'],
    ],
    [
      ['1,5', 'none'],
      ['1,5', 'none'],
    ],
    [
      ['0033', '0041'],
      ['0033', '0041'],
    ],
    [
      ['x', 'n'],
      ['x', 'n'],
    ],
    [[null], [null]],
  ])('%j become %j', (texts, expected) => {
    expect(serviceTexts(texts, FRENCH)).toEqual(expected);
  });
});

describe('the type of most texts of a field', () => {
  const german = { decimal: ',', dates: 'dmy' } as const;

  it.each([
    [['1,50', '1.234,00', '7', 'k. A.', ''], { type: 'double', fits: 3, of: 4 }],
    [['1', '2', '3', 'x'], { type: 'integer', fits: 3, of: 4 }],
    [['24.06.2025', '01.02.2026', '31.12.2025', 'bald'], { type: 'date', fits: 3, of: 4 }],
    [['1', '2', '3'], undefined],
    [['1', 'x', 'y'], undefined],
    [['04109', '80331', '10115', 'unbekannt'], undefined],
  ] as const)('of %j is %j', (texts, wanted) => {
    expect(mostlyOfType(texts, german)).toEqual(wanted);
  });
});
