import { describe, expect, it } from 'vitest';
import type { GridRecord } from '../../window/page-slot.js';
import { type PasteTarget, pastedCells } from './pasted-cells.js';

const RECORDS: readonly GridRecord[] = [
  { _id: 'a', _etag: '"1"', title: 'Emma', year: 1815 },
  { _id: 'b', _etag: '"2"', title: 'Ulysses', year: null },
];
const FIELDS = ['title', 'year', '_id', 'note'];
const TYPES = { title: 'text', year: 'integer', note: 'flexible' } as const;

const target: PasteTarget = {
  recordAt: row => RECORDS[row],
  isBelow: row => row >= RECORDS.length,
  fieldAt: column => FIELDS[column - 1],
  columnOf: field =>
    field in TYPES ? { type: TYPES[field as keyof typeof TYPES], isNullable: field !== 'title' } : undefined,
  edited: ({ _id, _etag }) => ({ kind: 'updated', id: _id, title: _id, etag: String(_etag) }),
  staged: [],
  locale: 'fr',
};
const at = (row: number, column: number, text: string) => ({ row, column, text });

describe('pasted texts', () => {
  it('are changes of the records of their rows, with the reason where they do not fit', () => {
    const { cells } = pastedCells([at(0, 2, '1 816'), at(1, 2, 'bientôt'), at(0, 1, '')], target);
    expect(cells).toMatchObject([
      { record: { id: 'a' }, field: 'year', before: 1815, entered: { value: 1816 } },
      { record: { id: 'b' }, field: 'year', before: null, entered: { text: 'bientôt', problem: 'integer' } },
      { record: { id: 'a' }, field: 'title', before: 'Emma', entered: { value: '' } },
    ]);
  });

  it('are left out where nothing can be edited, and where an empty cell meets an absent field', () => {
    const texts = [at(0, 3, 'x'), at(0, 9, 'x'), at(0, 4, '')];
    expect(pastedCells(texts, target)).toEqual({ cells: [], leftOut: 2 });
    const nowhere = { ...target, isBelow: () => false };
    expect(pastedCells([at(5, 1, 'x')], nowhere)).toEqual({ cells: [], leftOut: 1 });
  });

  it('make one new record of each row below the last one that is not empty', () => {
    const { cells } = pastedCells(
      [at(2, 1, 'Carmilla'), at(2, 2, '1872'), at(3, 1, ''), at(4, 1, 'Dracula')],
      target,
    );
    const ids = cells.map(({ record }) => record.id);
    expect(cells.map(({ record }) => record.title)).toEqual(['Carmilla', 'Carmilla', 'Dracula']);
    expect(ids[0]).toBe(ids[1]);
    expect(new Set(ids).size).toBe(2);
    expect(cells.every(({ record }) => record.kind === 'inserted')).toBe(true);
  });

  it('concern at most as many records as one batch saves', () => {
    const staged = Array.from({ length: 999 }, (_, index) => `staged ${index}`);
    const texts = [at(0, 2, '1'), at(1, 2, '2'), at(0, 4, 'x'), at(2, 1, 'new')];
    const { cells, leftOut } = pastedCells(texts, { ...target, staged });
    expect(cells.map(({ record, field }) => `${record.id} ${field}`)).toEqual(['a year', 'a note']);
    expect(leftOut).toBe(2);
  });

  it('are looked at once each: the texts of a long paste are not searched for each cell', () => {
    let looks = 0;
    const texts = Array.from({ length: 5_000 }, (_, place) => ({
      get row() {
        looks += 1;
        return RECORDS.length + Math.floor(place / 5);
      },
      column: 1,
      text: 'x',
    }));
    const { cells, leftOut } = pastedCells(texts, target);
    expect([cells.length, leftOut]).toEqual([5_000, 0]);
    expect(looks).toBeLessThanOrEqual(20_000);
  });
});
