import { describe, expect, it } from 'vitest';
import type { FilePlan } from '../file/slices.js';
import { cellsOf, correctedSlice, fileOf, withCell } from './refused-rows.js';

const PLAN: FilePlan = {
  reading: {
    encoding: 'utf-8',
    format: 'csv',
    delimiter: ';',
    headerLine: 1,
    decimal: ',',
    dates: 'dmy',
  },
  names: ['Title', 'Note', 'Year'],
  targets: [{ name: 'title', type: 'text' }, null, { name: 'year', type: 'integer' }],
};
const ROWS = [
  { row: 2, column: 'year', problem: 'expects an integer', text: '"Emma, a novel",soon' },
  { row: 7, column: null, problem: 'too long', text: null },
  { row: 9, column: null, problem: 'quotes', text: '"a"b;1' },
];

describe('refused rows', () => {
  it('have a cell for each column that is sent', () => {
    expect(cellsOf('"Emma, a novel",soon', PLAN)).toEqual(['Emma, a novel', 'soon']);
    expect(cellsOf('"a"b;1', PLAN)).toBeUndefined();
    expect(cellsOf('a,b,c', PLAN)).toBeUndefined();
    expect(cellsOf('{"a":1}', { ...PLAN, reading: { ...PLAN.reading, format: 'ndjson' } })).toBeUndefined();
  });

  it('are corrected cell by cell', () => {
    expect(withCell(['Emma, a novel', 'soon'], 1, '1815')).toBe('"Emma, a novel",1815');
    expect(withCell(['Emma', 'soon'], 1, '')).toBe('Emma,');
  });

  it('are a file with the header, without rows that are too long', async () => {
    const file = fileOf(ROWS, new Map([[2, 'Emma,1815']]), PLAN);
    expect(await file.text()).toBe('title,year\nEmma,1815\n"a"b;1\n');
  });

  it('are corrected in the notation of the file; cells that were read already stay', async () => {
    const plan: FilePlan = {
      ...PLAN,
      names: ['Amount', 'Day', 'Rate'],
      targets: [
        { name: 'amount', type: 'double' },
        { name: 'day', type: 'date' },
        { name: 'rate', type: 'double' },
      ],
    };
    const rows = [{ row: 1, column: 'amount', problem: 'expects a number', text: 'k. A.,soon,1.234' }];
    const file = fileOf(rows, new Map([[1, '"1.234,50",28.02.2026,1.234']]), plan);
    expect(await file.text()).toBe('amount,day,rate\n1234.50,2026-02-28,1.234\n');
  });

  it('are sent again when they were corrected, with their numbers', async () => {
    const { value } = await correctedSlice(ROWS, new Map([[9, 'a,1']]), PLAN).next();
    expect(await value?.body.text()).toBe('title,year\na,1\n');
    expect(value?.rows).toEqual([9]);
  });
});
