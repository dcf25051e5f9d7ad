import { describe, expect, it, onTestFinished, vi } from 'vitest';
import type { ColumnTypeName } from '../../../engine/columns/index.js';
import type { CollectionShape } from '../../../engine/storage/collection-shape.js';
import { CsvDecoder, type CsvOptions } from './csv-decoder.js';
import { NdjsonDecoder } from './record-decoders.js';

describe('csv decoder', () => {
  const TYPES: Record<string, ColumnTypeName> = {
    title: 'text',
    year: 'integer',
    price: 'double',
    lent: 'boolean',
    printed: 'date',
    read_at: 'datetime',
    details: 'json',
    tags: 'array',
  };

  const columns = Object.entries(TYPES).map(([name, type], index) => [
    name,
    { type, nullable: true, number: index + 1 },
  ]);
  const shape: CollectionShape = {
    id: '',
    orgId: '',
    version: 1,
    mayExpire: false,
    columns: Object.fromEntries(columns),
  };

  function decode(text: string, length = text.length, options: CsvOptions = {}) {
    const decoder = new CsvDecoder(shape, options);
    const sent = [];
    for (let at = 0; at < text.length; at += length)
      sent.push(...decoder.take(text.slice(at, at + length), false));
    return [...sent, ...decoder.take('', true)];
  }

  const record = (text: string) => decode(text)[0];

  describe('the fields of a CSV file', () => {
    it.each<[string, string, unknown]>([
      ['title', '7', '7'],
      ['title', 'true', 'true'],
      ['title', '""', ''],
      ['title', '', null],
      ['year', '7', 7],
      ['year', '-007', -7],
      ['year', '9007199254740991', 9_007_199_254_740_991],
      ['year', '', null],
      ['year', '""', null],
      ['price', '1.5', 1.5],
      ['price', '-1e-3', -0.001],
      ['price', '.5', 0.5],
      ['price', '""', null],
      ['lent', 'true', true],
      ['lent', 'FALSE', false],
      ['printed', '2024-02-29', '2024-02-29'],
      ['read_at', '2026-01-31T09:30:00Z', '2026-01-31T09:30:00Z'],
      ['details', '"{""a"":[1,null]}"', { a: [1, null] }],
      ['details', '"""text"""', 'text'],
      ['details', 'null', null],
      ['details', '', null],
      ['tags', '"[""a"",""b""]"', ['a', 'b']],
      ['unknown', '007', '007'],
      ['unknown', 'true', 'true'],
      ['unknown', '""', ''],
    ])('become values of %s: %j is %j', (name, text, value) => {
      expect(record(`${name},other\n${text},x\n`)).toEqual({ row: 1, record: { [name]: value, other: 'x' } });
    });

    it('are absent if they are empty and have no column', () => {
      expect(record('unknown,title\n,x\n')).toEqual({ row: 1, record: { title: 'x' } });
    });

    it.each([
      ['year', '1.5'],
      ['year', '1e3'],
      ['year', '99999999999999999'],
      ['year', ' 7'],
      ['price', '1,5'],
      ['price', 'NaN'],
      ['price', '0x10'],
      ['price', '1e'],
      ['lent', '1'],
      ['lent', 'yes'],
    ])('stay text that the column %s refuses: %j', (name, text) => {
      expect(record(`${name};other\n${text};x\n`)).toEqual({ row: 1, record: { [name]: text, other: 'x' } });
    });

    it.each(['details', 'tags'])('are reported if %s is not JSON', name => {
      const problem = expect.stringContaining('as JSON text');
      expect(decode(`${name}\n{a}\n1\n`)).toEqual([
        { row: 1, column: name, problem },
        { row: 2, record: { [name]: 1 } },
      ]);
    });

    it('must be as many as in the header', () => {
      expect(decode('a,b\n1\n1,2,3\n1,2\n')).toEqual([
        { row: 1, column: null, problem: 'has 1 fields, the header has 2' },
        { row: 2, column: null, problem: 'has 3 fields, the header has 2' },
        { row: 3, record: { a: '1', b: '2' } },
      ]);
    });

    it('do not include inherited properties', () => {
      expect(record('toString,constructor\nx,y\n')).toEqual({
        row: 1,
        record: { toString: 'x', constructor: 'y' },
      });
    });
  });

  describe('the lines of a CSV file', () => {
    it.each([',', ';', '\t'])('are separated by %j, which is found in the header', delimiter => {
      const text = `a${delimiter}"x,;;y\t\t"${delimiter}b\n1${delimiter}2${delimiter}3\n`;
      expect(record(text)).toEqual({ row: 1, record: { a: '1', 'x,;;y\t\t': '2', b: '3' } });
    });

    it('are skipped if they are empty, except in a file with one field', () => {
      expect(decode('a,b\n\n1,2\n\n\n')).toEqual([{ row: 1, record: { a: '1', b: '2' } }]);
      expect(decode('title\n\nx\n')).toEqual([
        { row: 1, record: { title: null } },
        { row: 2, record: { title: 'x' } },
      ]);
    });

    it('are the same wherever the text is split', () => {
      const text = 'title;year;"x ""y"""\r\n"a\r\nb";7;\r\n;;"""q"""\r\n';
      const whole = decode(text);
      expect(whole).toEqual([
        { row: 1, record: { title: 'a\r\nb', year: 7 } },
        { row: 2, record: { title: null, year: null, 'x "y"': '"q"' } },
      ]);
      for (let length = 1; length < text.length; length++) expect(decode(text, length)).toEqual(whole);
    });

    it('may be only the header', () => {
      expect(decode('a,b')).toEqual([]);
      expect(decode('a,b\r\n')).toEqual([]);
    });
  });

  describe('a file that does not begin with its header', () => {
    const table = 'Sales 2024\n\nshop;sold\r\nA;1\nB;2\n';
    const rows = [
      { row: 1, record: { shop: 'A', sold: '1' } },
      { row: 2, record: { shop: 'B', sold: '2' } },
    ];

    it('is read from the header on, wherever the text is split', () => {
      for (let length = 1; length <= table.length; length++)
        expect(decode(table, length, { skipLines: 2 })).toEqual(rows);
      expect(decode('sep=;\na;b\n1;2\n', 100, { skipLines: 0 })).toEqual([
        { row: 1, record: { a: '1', b: '2' } },
      ]);
    });

    it.each(['Sales 2024\nshop;sold;of\nA;1;2\n', 'Sales 2024\nshop,sold\nA,1\n', 'Sales\n\na\tb\n1\t2\n'])(
      'is refused with what to do: %j',
      text => {
        expect(() => decode(text)).toThrow('skip_lines');
        expect(() => decode(text, text.length, { skipLines: 0 })).not.toThrow();
      },
    );

    it('is no file whose only column has such texts', () => {
      expect(decode('title\na; b\nc; d\n')).toHaveLength(2);
      expect(decode('note\n"a, b"\n"c, d"\na; b\n')).toHaveLength(3);
    });
  });

  it('refuses a line that repeats the header', () => {
    const problem = 'repeats the header: remove the line, or leave it out with on_error=skip';
    expect(decode('a,b\n1,2\na,b\n3,4\n')).toEqual([
      { row: 1, record: { a: '1', b: '2' } },
      { row: 2, column: null, problem },
      { row: 3, record: { a: '3', b: '4' } },
    ]);
  });

  it('reads repeated headers into the columns that are named for them, and other fields if that is allowed', () => {
    const text = 'title,title,\nx,1,2\n';
    const columns = { 'title (2)': 'year', '': null };
    expect(decode(text, text.length, { columns })).toEqual([{ row: 1, record: { title: 'x', year: 1 } }]);
    const unknown = { 'title (2)': 'subtitle', '': 'rest' };
    expect(() => decode(text, text.length, { columns: unknown })).toThrow('allow_unknown');
    expect(decode(text, text.length, { columns: unknown, allowUnknown: true })).toEqual([
      { row: 1, record: { title: 'x', subtitle: '1', rest: '2' } },
    ]);
  });

  describe('a header is refused', () => {
    it.each([
      ['that is not there', '', 'empty'],
      ['with a name twice', 'a,b,a\n', 'field 3: this name appears twice. In columns, it is "a (2)"'],
      ['with empty fields, as below a title', 'Report,,\na,b,c\n', 'skip_lines'],
      ['with no name', 'a,,b\n', 'field 2'],
      ['with __proto__', 'a,__proto__\n', '__proto__'],
      ['with a dot', 'a.b\n', "'.'"],
      ['with $', '$set\n', '$'],
      ['with NUL', 'a\0\n', 'NUL'],
      ['with a name of 256 characters', `${'n'.repeat(256)}\n`, '255'],
      ['with a stray quote', 'a,b"c\n', 'quote'],
      ['with an open quote', '"a,b\n1,2\n', 'no closing quote'],
      ['of 10,001 fields', `${Array.from({ length: 10_001 }, (_, n) => `f${n}`).join(',')}\n`, '10000'],
    ])('%s', (_, text, says) => {
      expect(() => decode(text)).toThrow(says);
    });

    it('of more than 1 MiB, before it has arrived completely', () => {
      const decoder = new CsvDecoder(shape);
      expect(() => decoder.take('x'.repeat(1024 * 1024 + 1), false)).toThrow('1 MiB');
    });
  });
});

function decode(text: string, length = text.length) {
  const decoder = new NdjsonDecoder();
  const sent = [];
  for (let at = 0; at < text.length; at += length)
    sent.push(...decoder.take(text.slice(at, at + length), false));
  return [...sent, ...decoder.take('', true)];
}

describe('lines of JSON', () => {
  const TEXT = '{"a":"x\\ny"}\r\n\n \t\n[1]\n{"b":\n{"c":"é𝄞"}';

  it('become records or errors, without empty lines, however the text is split', () => {
    const problem = expect.stringMatching(/^is not valid JSON: /);
    for (let length = 1; length <= TEXT.length; length++)
      expect(decode(TEXT, length)).toEqual([
        { row: 1, record: { a: 'x\ny' } },
        { row: 2, record: [1] },
        { row: 3, column: null, problem },
        { row: 4, record: { c: 'é𝄞' } },
      ]);
  });

  it('are not parsed if they have more values than a record can have', () => {
    const parse = vi.spyOn(JSON, 'parse');
    onTestFinished(() => parse.mockRestore());
    const line = `{"a":[${'{},'.repeat(300_000)}1]}`;
    expect(decode(line, 65_536)).toEqual([{ row: 1, column: null, problem: 'more than 250000 values' }]);
    expect(parse).not.toHaveBeenCalled();
  });

  it('may be none', () => {
    expect(decode('')).toEqual([]);
  });

  it('are quoted only in part', () => {
    expect(JSON.stringify(decode('x'.repeat(100_000))).length).toBeLessThan(400);
  });

  it('are rejected beyond 16 MiB, before their end has arrived', () => {
    const decoder = new NdjsonDecoder();
    const endless = () => {
      for (let pieces = 0; pieces < 17; pieces++) decoder.take('x'.repeat(1024 * 1024), false);
    };
    expect(endless).toThrow('longer than 16 MiB');
  });
});
