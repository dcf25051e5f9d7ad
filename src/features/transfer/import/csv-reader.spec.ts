import { describe, expect, it } from 'vitest';
import { CsvReader } from './csv-reader.js';

/** The texts of the records of a text that arrives in pieces of this length. */
function texts(text: string, length: number) {
  const reader = new CsvReader(',');
  const found: string[] = [];
  for (let at = 0; at <= text.length; at += length) {
    const isLast = at + length > text.length;
    for (const _ of reader.read(text.slice(at, at + length), isLast)) found.push(reader.lastText());
  }
  return found;
}

/** The records read from a text that arrives in pieces of this length. */
function read(text: string, length = text.length, delimiter = ',') {
  const reader = new CsvReader(delimiter);
  const records = [];
  for (let at = 0; at < text.length; at += length)
    records.push(...reader.read(text.slice(at, at + length), false));
  return [...records, ...reader.read('', true)];
}

const RECORDS: [what: string, text: string, records: (string | null)[][]][] = [
  ['a line without an end', 'a,b', [['a', 'b']]],
  [
    'LF',
    'a,b\nc,d\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  [
    'CR LF',
    'a,b\r\nc,d\r\n',
    [
      ['a', 'b'],
      ['c', 'd'],
    ],
  ],
  ['CR', 'a\rb\r', [['a'], ['b']]],
  ['all of them', 'a\r\nb\nc\rd', [['a'], ['b'], ['c'], ['d']]],
  ['an empty line', 'a\n\nb\n', [['a'], [null], ['b']]],
  ['nothing and empty text', ',"",\n', [[null, '', null]]],
  ['delimiters and line ends in quotes', '"a,b","c\r\nd"\n', [['a,b', 'c\r\nd']]],
  ['doubled quotes', '"""a"" b","""",""""""\n', [['"a" b', '"', '""']]],
  ['white space as it is', ' a , b\t\n', [[' a ', ' b\t']]],
  ['a quoted field at the end', 'a,"b"', [['a', 'b']]],
  ['a delimiter at the end', 'a,', [['a', null]]],
  ['what is no ASCII', 'é,"𝄞"\n', [['é', '𝄞']]],
];

describe('a CSV reader', () => {
  it.each(RECORDS)('reads %s', (_, text, records) => {
    expect(read(text)).toEqual(records);
  });

  it('reads the same wherever the text is split', () => {
    for (const [, text, records] of RECORDS)
      for (let length = 1; length < text.length; length++) expect(read(text, length)).toEqual(records);
  });

  it('reads other delimiters; a comma is then text', () => {
    expect(read('a,b;c\n', 2, ';')).toEqual([['a,b', 'c']]);
    expect(read('"a\tb"\tc', 3, '\t')).toEqual([['a\tb', 'c']]);
  });

  it.each([
    ['a quote in a field', 'x,a"b\ny,z\n'],
    ['text behind a quote', '"x"a,b\ny,z\n'],
    ['white space behind a quote', '"x" ,b\ny,z\n'],
  ])('reports %s and continues in the next line', (_, text) => {
    for (const length of [1, 3, text.length])
      expect(read(text, length)).toEqual([{ flaw: expect.stringContaining('quote') }, ['y', 'z']]);
  });

  it('reports a quote that is never closed', () => {
    expect(read('a\n"b,c\nd\n', 4)).toEqual([['a'], { flaw: 'a quoted field has no closing quote' }]);
  });

  it('returns the text of each record as it is, without its line end, wherever the text is split', () => {
    const records = ['a,"b ""c""\r\nd"', '', ' x ,', 'a"b,"c', '"e"f', '"x,\ny'];
    for (const end of ['\n', '\r\n'])
      for (let length = 1; length < 30; length++) expect(texts(records.join(end), length)).toEqual(records);
    for (let length = 1; length < 6; length++) expect(texts('a,b\r"c"\r', length)).toEqual(['a,b', '"c"']);
  });

  it('reads millions of quotes in linear time', () => {
    const [few, many] = [1, 16].map(times => {
      const text = `"${'""'.repeat(times * 250_000)}",x\n`;
      const begun = performance.now();
      for (let n = 0; n < 16 / times; n++) expect(read(text)).toEqual([[expect.stringMatching(/^"+$/), 'x']]);
      return performance.now() - begun;
    });
    expect(many).toBeLessThan(6 * (few as number));
    expect(read(`"a${'""'.repeat(100_001)}"`)).toEqual([[`a${'"'.repeat(100_001)}`]]);
  });

  it('rejects a record of more than 10,000 fields and continues in the next line', () => {
    const text = `${','.repeat(3_000_000)}\n${','.repeat(9_999)}\n`;
    expect(read(text)).toEqual([{ flaw: 'has more than 10000 fields' }, Array(10_000).fill(null)]);
  });

  it('rejects a record when it is longer than 16 MiB, however short the pieces are', () => {
    const reader = new CsvReader(',');
    // A record of 9 MiB is scanned again only when it has doubled, which is beyond the limit.
    const pieces = [`"${'x'.repeat(9 * 1024 * 1024)}`, ...Array(8).fill('x'.repeat(1024 * 1024))];
    const reading = () => {
      for (const piece of pieces) for (const _ of reader.read(piece, false));
    };
    expect(reading).toThrow('longer than 16 MiB');
  });

  it.each(['x', '"', '""'])('rejects a record of 16 MiB that consists of %s', filling => {
    const reader = new CsvReader(',');
    const piece = `"${filling.repeat(1024 * 1024)}`;
    const endless = () => {
      for (let pieces = 0; pieces < 40; pieces++) for (const _ of reader.read(piece, false));
    };
    expect(endless).toThrow('longer than 16 MiB');
  });
});
