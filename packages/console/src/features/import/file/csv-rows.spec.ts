import { describe, expect, it } from 'vitest';
import { CsvRows, csvLine } from './csv-rows.js';

function rowsOf(text: string, { delimiter = ',', piece = text.length, before = 0 } = {}) {
  const reader = new CsvRows(delimiter, before);
  const rows = [];
  for (let at = 0; at < text.length; at += piece)
    rows.push(...reader.read(text.slice(at, at + piece), false));
  return [...rows, ...reader.read('', true)];
}

const fieldsOf = (text: string, options = {}) => rowsOf(text, options).map(({ fields }) => fields);

describe('rows of CSV', () => {
  it.each([1, 2, 3, 7, 1_000])('are the same however the text is cut: %i characters at a time', piece => {
    const text = 'a,b\r\n"x, ""y""\nz",2\n\n,""\rlast,"1"';
    expect(fieldsOf(text, { piece })).toEqual([
      ['a', 'b'],
      ['x, "y"\nz', '2'],
      [null, ''],
      ['last', '1'],
    ]);
  });

  it.each([1, 2, 100])('begin below the lines before them: %i characters at a time', piece => {
    expect(fieldsOf('Report "all\r\n\r\na,b\n1,2', { piece, before: 2 })).toEqual([
      ['a', 'b'],
      ['1', '2'],
    ]);
    expect(fieldsOf('a,b', { piece, before: 1 })).toEqual([]);
  });

  it('are separated as the file says', () => {
    expect(fieldsOf('a;b\n1,5;x\n', { delimiter: ';' })).toEqual([
      ['a', 'b'],
      ['1,5', 'x'],
    ]);
    expect(fieldsOf('a|b\n', { delimiter: '|' })).toEqual([['a', 'b']]);
  });

  it('keep a quote inside of a field without quotes', () => {
    expect(fieldsOf('disk,3.5" floppy\n')).toEqual([['disk', '3.5" floppy']]);
  });

  it('go on after a row that breaks the rules', () => {
    expect(rowsOf('"a"b,1\r\nc,2\n', { piece: 3 })).toEqual([
      { fields: ['a'], broken: '"a"b,1' },
      { fields: ['c', '2'] },
    ]);
    expect(rowsOf('a,1\n"b,2\nc,3\n')).toEqual([
      { fields: ['a', '1'] },
      { fields: [], broken: '"b,2' },
      { fields: ['c', '3'] },
    ]);
  });
});

describe('a line for the service', () => {
  it('is read as the same fields', () => {
    const fields = ['a, "b"\n', null, '', ' x ', 'é'];
    expect(rowsOf(csvLine(fields))).toEqual([{ fields }]);
  });

  it('is not an empty line', () => {
    expect(csvLine([null])).toBe('""\n');
  });
});
