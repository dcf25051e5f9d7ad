import { describe, expect, it } from 'vitest';
import type { FilePlan } from '../file/plan.js';
import { cellsOf, correctedFile, withCell } from './refused-rows.js';

const PLAN: FilePlan = {
  reading: {
    ...{ encoding: 'utf-16le', format: 'csv', delimiter: ';', headerLine: 4, decimal: ',', dates: 'dmy' },
  },
  samples: { names: ['Title', 'Note', 'Year'], headers: ['Title', 'Note', 'Year'] },
  targets: ['title', null, 'year'],
};
const ROWS = [
  { row: 2, column: 'year', problem: 'expects an integer', line: '"Emma; a novel";x;soon' },
  { row: 7, column: null, problem: 'too long', line: null },
  { row: 9, column: null, problem: 'quotes', line: '"a"b;1' },
];

describe('refused rows', () => {
  it('have a cell for each field of the file', () => {
    expect(cellsOf('"Emma; a novel";;soon', PLAN)).toEqual(['Emma; a novel', null, 'soon']);
    for (const text of ['"a"b;1;2', 'a;b', 'a;b;c\nd;e;f', ''])
      expect(cellsOf(text, PLAN), text).toBeUndefined();
    expect(cellsOf('{"a":1}', { ...PLAN, reading: { ...PLAN.reading, format: 'ndjson' } })).toBeUndefined();
  });

  it('are corrected cell by cell', () => {
    expect(withCell(['Emma; a novel', null, 'soon'], 2, '1815', PLAN)).toBe('"Emma; a novel";;1815');
    expect(withCell(['Emma', 'x', 'soon'], 2, '', PLAN)).toBe('Emma;x;');
  });

  it('are a file with the header, written as the file is, without rows that are too long', async () => {
    const { body, options } = correctedFile(ROWS, new Map([[2, 'Emma;x;1.815']]), PLAN);
    expect(await body.text()).toBe('Title;Note;Year\nEmma;x;1.815\n"a"b;1\n');
    expect(options).toMatchObject({
      ...{ format: 'csv', skipLines: 0, textEncoding: 'utf-8', delimiter: ';', decimal: ',', dates: 'dmy' },
      columns: { Title: 'title', Note: null, Year: 'year' },
    });
  });

  it('of a JSON list are lines', async () => {
    const plan: FilePlan = { ...PLAN, reading: { ...PLAN.reading, format: 'json' } };
    const { body, options } = correctedFile([{ ...ROWS[0]!, line: '{"a": 1}' }], new Map(), plan);
    expect(await body.text()).toBe('{"a": 1}\n');
    expect(options.format).toBe('ndjson');
    expect(options.skipLines).toBeUndefined();
  });
});
