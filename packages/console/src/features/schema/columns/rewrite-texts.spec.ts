import { expect, it } from 'vitest';
import { convertibleText } from './rewrite-texts.js';

const GERMAN = { decimal: ',', dates: 'dmy' } as const;

it.each([
  ['1.234,50', 'double', '1234.5'],
  ['-7,0', 'double', '-7'],
  ['1.000', 'integer', '1000'],
  ['24.06.2025', 'date', '2025-06-24'],
  ['2025-06-24', 'date', '2025-06-24'],
  ['2025-06-24T10:00:00Z', 'datetime', '2025-06-24T10:00:00.000Z'],
  ['ja', 'boolean', 'true'],
] as const)('%s becomes a text that converts to %s: %s', (text, type, wanted) => {
  expect(convertibleText(text, type, GERMAN)).toBe(wanted);
});

it.each([
  ['04109', 'integer'],
  ['+49 341 123', 'double'],
  ['12345678901234567890', 'double'],
  ['9007199254740993', 'integer'],
  ['1,5', 'integer'],
  ['k. A.', 'double'],
  ['31.02.2025', 'date'],
  ['maybe', 'boolean'],
  ['', 'double'],
] as const)('%s has no text that converts to %s without loss', (text, type) => {
  expect(convertibleText(text, type, GERMAN)).toBeUndefined();
});
