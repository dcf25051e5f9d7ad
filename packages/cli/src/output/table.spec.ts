import { describe, expect, it } from 'vitest';
import { cut, jsonText, printable, printableLines, widthOf } from './printable.js';
import { tableOf } from './table.js';

const plain = { color: false, width: 60 };
const lines = (text: string) => text.split('\n').map(line => line.trimEnd());

describe('a table', () => {
  it('has a line for each row, with values below the names of their columns', () => {
    const rows = [
      { title: 'Emma', year: 1815 },
      { title: 'Ulysses', tags: ['novel'] },
    ];
    expect(lines(tableOf(rows, ['title', 'year', 'tags'], plain))).toEqual([
      'title    year  tags',
      'Emma     1815  –',
      'Ulysses  –     ["novel"]',
    ]);
  });

  it.each([24, 40, 80, 200])('is not wider than a terminal of %d columns', width => {
    const long = 'x'.repeat(300);
    const table = tableOf([{ a: long, b: long, c: 'short' }], ['a', 'b', 'c'], { color: false, width });
    for (const line of lines(table)) expect(widthOf(line)).toBeLessThanOrEqual(width);
    expect(table).toContain('…');
  });

  it('is not wider than the terminal with characters that take two columns', () => {
    const table = tableOf([{ a: '図書館'.repeat(30), b: '📚📚📚' }], ['a', 'b'], { color: false, width: 40 });
    for (const line of lines(table)) expect(widthOf(line)).toBeLessThanOrEqual(40);
  });

  it('shows ids whole', () => {
    const _id = '019a7c3e-5d62-7c0e-9d0a-1f2e3d4c5b6a';
    expect(tableOf([{ _id, text: 'x'.repeat(300) }], ['_id', 'text'], plain)).toContain(_id);
  });

  it('has no colors without color', () => {
    expect(tableOf([{ a: null }], ['a'], plain)).not.toContain('\u001b');
    expect(tableOf([{ a: null }], ['a'], { ...plain, color: true })).toContain('\u001b[');
  });

  it('shows no control characters, neither of values nor of names of fields', () => {
    const evil = 'a\u001b[2J\u0007\u009b31m\u202eb\nc';
    const table = tableOf([{ [evil]: evil }], [evil], plain);
    expect(table.replaceAll('\n', '')).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(lines(table)).toHaveLength(2);
  });
});

describe('text that a person sees', () => {
  it('is one line, or keeps its lines', () => {
    expect(printable('a\r\nb\tc\u0000')).toBe('a  b c\ufffd');
    expect(printableLines('a\r\nb\tc\u001b')).toBe('a\nb\tc\ufffd');
  });

  it.each([
    ['abcdef', 4, 'abc…'],
    ['abcd', 4, 'abcd'],
    ['図書館', 5, '図書…'],
    ['👩‍👩‍👧‍👦👩‍👩‍👧‍👦', 3, '👩‍👩‍👧‍👦…'],
  ])('%s is cut to %d columns', (text, width, shown) => {
    expect(cut(text, width)).toBe(shown);
  });

  it('as JSON says the same with all control characters as escapes', () => {
    const value = { a: 'x\u009b31m\u202e\n\u001b' };
    expect(jsonText(value)).not.toMatch(/[\p{Cc}\u202e]/u);
    expect(JSON.parse(jsonText(value, 2))).toEqual(value);
  });
});
