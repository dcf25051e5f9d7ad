import { describe, expect, it } from 'vitest';
import { csvLine, csvRows } from './csv-rows.js';

describe('rows of CSV', () => {
  it('have texts in quotes, and null for empty fields without quotes', () => {
    expect(csvRows('a,b\r\n"x, ""y""\nz",2\n\n,""\rlast,', ',')).toEqual([
      ['a', 'b'],
      ['x, "y"\nz', '2'],
      [null, ''],
      ['last', null],
    ]);
  });

  it('are separated as the file says', () => {
    const rows = [
      ['a', 'b'],
      ['1,5', 'x'],
    ];
    expect(csvRows('a;b\n1,5;x\n', ';')).toEqual(rows);
    expect(csvRows('a|b\n1,5|x', '|')).toEqual(rows);
  });

  it.each([
    ['"a"b,1\r\nc,2\n', [['c', '2']]],
    ['3.5" disk,1\nc,2\n', [['c', '2']]],
    [
      'a,1\n"b,2\nc,3',
      [
        ['a', '1'],
        ['c', '3'],
      ],
    ],
  ])('of %j are those that follow the rules', (text, rows) => {
    expect(csvRows(text, ',')).toEqual(rows);
  });

  it.each(['a,1\nb,"2\nc,3\n', 'a,1\nb,2', 'a,1\n"b'])(
    'of %j, which is cut, are those before the last',
    text => {
      expect(csvRows(`x,y\n${text}`, ',', false)[0]).toEqual(['x', 'y']);
      expect(csvRows(`x,y\n${text}`, ',', false).length).toBeLessThan(3);
    },
  );
});

describe('a line', () => {
  it.each([',', ';', '\t', '|'])('with %j is read as the same fields', delimiter => {
    const fields = ['a, "b"\n;', null, '', ' x ', 'é\t|'];
    expect(csvRows(csvLine(fields, delimiter), delimiter)).toEqual([fields]);
  });

  it('is not an empty line', () => {
    expect(csvLine([null], ',')).toBe('""\n');
  });
});
