import { describe, expect, it } from 'vitest';
import { HEADER } from '../../grid/table/navigation.js';
import { draggedTo, dragPoint } from './drag-place.js';

const BOX = { left: 100, top: 50, right: 300, bottom: 250 };
const EXTENT = { first: 10, end: 20, columns: 5, pageRows: 4 };

describe('the cell to which a range is dragged', () => {
  it('is the one under the pointer', () => {
    expect(dragPoint({ x: 120, y: 60 }, BOX)).toEqual({ x: 120, y: 60, columns: 0, rows: 0 });
    expect(draggedTo({ row: 12, column: 2 }, { rows: 0, columns: 0 }, EXTENT)).toEqual({
      row: 12,
      column: 2,
    });
  });

  it.each([
    ['below', { x: 120, y: 400 }, { x: 120, y: 249, columns: 0, rows: 1 }],
    ['above', { x: 120, y: 0 }, { x: 120, y: 51, columns: 0, rows: -1 }],
    ['at the right', { x: 301, y: 60 }, { x: 299, y: 60, columns: 1, rows: 0 }],
    ['at the left', { x: 3, y: 60 }, { x: 101, y: 60, columns: -1, rows: 0 }],
  ])('is one step beyond the edge if the pointer is %s', (_, pointer, point) => {
    expect(dragPoint(pointer, BOX)).toEqual(point);
  });

  it('stays within the known records and their columns', () => {
    expect(draggedTo({ row: 19, column: 4 }, { rows: 1, columns: 1 }, EXTENT)).toEqual({
      row: 19,
      column: 4,
    });
    expect(draggedTo({ row: 10, column: 1 }, { rows: -1, columns: -1 }, EXTENT)).toEqual({
      row: 10,
      column: 1,
    });
    expect(draggedTo({ row: 25, column: 2 }, { rows: 0, columns: 0 }, EXTENT)).toEqual({
      row: 19,
      column: 2,
    });
    expect(draggedTo({ row: HEADER, column: 2 }, { rows: 0, columns: 0 }, EXTENT)).toBeUndefined();
    expect(draggedTo({ row: 1, column: 1 }, { rows: 1, columns: 0 }, { ...EXTENT, end: 10 })).toBeUndefined();
  });
});
