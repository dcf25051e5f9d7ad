import { describe, expect, it } from 'vitest';
import { cellValue, type FieldType, MAX_CHARACTERS, wholeText } from './cell-value.js';

const shown = (value: unknown, type: FieldType = 'flexible', cut: string[] = []) =>
  cellValue({ _id: '1', _cut: cut, field: value }, 'field', type, 'en', 'UTC');

describe('the value of a cell', () => {
  it('tells null, an absent field and a text without characters apart', () => {
    expect(shown(null).kind).toBe('null');
    expect(shown('').kind).toBe('empty');
    expect(cellValue({ _id: '1' }, 'field', 'flexible', 'en').kind).toBe('absent');
    expect(cellValue({ _id: '1' }, 'toString', 'flexible', 'en').kind).toBe('absent');
  });

  it('shows numbers and booleans as they are', () => {
    expect(shown(1234567.5)).toEqual({ kind: 'number', text: '1234567.5', isCut: false });
    expect(shown(0, 'integer').text).toBe('0');
    expect(shown(false)).toEqual({ kind: 'boolean', text: 'false', isCut: false });
  });

  it('shows instants with their zone, and dates as they are', () => {
    expect(shown('2026-01-31T09:30:00.000Z', 'datetime')).toEqual({
      kind: 'datetime',
      text: '2026-01-31 09:30:00 UTC',
      isCut: false,
    });
    expect(shown('2026-01-31', 'date')).toEqual({ kind: 'date', text: '2026-01-31', isCut: false });
    expect(shown('2026-01-31T09:30:00.000Z').kind).toBe('text');
  });

  it('shows JSON and arrays as compact text', () => {
    expect(shown({ a: [1, null] }, 'json')).toEqual({ kind: 'json', text: '{"a":[1,null]}', isCut: false });
    expect(shown(['a'], 'array').text).toBe('["a"]');
    expect(shown('{"a":', 'json', ['field'])).toEqual({ kind: 'json', text: '{"a":', isCut: true });
  });

  it('cuts long text, never in the middle of a character', () => {
    const { text, isCut } = shown(`${'x'.repeat(MAX_CHARACTERS - 1)}😀 and more`);
    expect([text.length, isCut]).toEqual([MAX_CHARACTERS - 1, true]);
    expect(shown('x'.repeat(MAX_CHARACTERS)).isCut).toBe(false);
    expect(shown('cut by the service', 'text', ['field']).isCut).toBe(true);
  });

  it('shows line breaks in one line', () => {
    expect(shown('one\r\ntwo\nthree').text).toBe('one ⏎ two ⏎ three');
  });
});

describe('a whole value', () => {
  it('is the text itself, or JSON', () => {
    expect(wholeText('a\nb')).toBe('a\nb');
    expect(wholeText({ a: 1 }, 2)).toBe('{\n  "a": 1\n}');
    expect(wholeText(null)).toBe('null');
  });
});
