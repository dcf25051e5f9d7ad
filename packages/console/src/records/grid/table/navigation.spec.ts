import { describe, expect, it } from 'vitest';
import { type CellPlace, type GridExtent, HEADER, moveBy } from './navigation.js';

const EXTENT: GridExtent = { first: -10, end: 100, columns: 4, pageRows: 20 };

function press(text: string, from: CellPlace, extent = EXTENT) {
  const [key = '', ctrl] = text.split('+').reverse();
  return moveBy({ key, ctrlKey: ctrl === 'Ctrl', metaKey: false }, from, extent);
}

const at = (row: number, column: number) => ({ to: { row, column } });

describe('keys of the grid', () => {
  it('move by one cell and stop at the edges', () => {
    expect(press('ArrowRight', { row: 5, column: 1 })).toEqual(at(5, 2));
    expect(press('ArrowRight', { row: 5, column: 3 })).toEqual(at(5, 3));
    expect(press('ArrowLeft', { row: 5, column: 0 })).toEqual(at(5, 0));
    expect(press('ArrowDown', { row: 5, column: 1 })).toEqual(at(6, 1));
    expect(press('ArrowDown', { row: 99, column: 1 })).toEqual(at(99, 1));
    expect(press('ArrowUp', { row: 5, column: 1 })).toEqual(at(4, 1));
  });

  it('lead from the first row to the header and back', () => {
    expect(press('ArrowUp', { row: -10, column: 1 })).toEqual(at(HEADER, 1));
    expect(press('ArrowUp', { row: HEADER, column: 1 })).toEqual(at(HEADER, 1));
    expect(press('ArrowDown', { row: HEADER, column: 1 })).toEqual(at(-10, 1));
    expect(press('PageDown', { row: HEADER, column: 1 })).toEqual(at(9, 1));
  });

  it('move by a page', () => {
    expect(press('PageDown', { row: 5, column: 1 })).toEqual(at(25, 1));
    expect(press('PageDown', { row: 95, column: 1 })).toEqual(at(99, 1));
    expect(press('PageUp', { row: 5, column: 1 })).toEqual(at(-10, 1));
  });

  it('move to the edges with Ctrl', () => {
    expect(press('Ctrl+ArrowRight', { row: 5, column: 1 })).toEqual(at(5, 3));
    expect(press('Ctrl+ArrowLeft', { row: 5, column: 2 })).toEqual(at(5, 0));
    expect(press('Ctrl+ArrowDown', { row: 5, column: 1 })).toEqual(at(99, 1));
    expect(press('Ctrl+ArrowUp', { row: 5, column: 1 })).toEqual(at(-10, 1));
    expect(press('Home', { row: 5, column: 2 })).toEqual(at(5, 0));
    expect(press('End', { row: 5, column: 2 })).toEqual(at(5, 3));
  });

  it('ask for the first and the last record of the list', () => {
    expect(press('Ctrl+Home', { row: 5, column: 2 })).toEqual({ list: 'first' });
    expect(press('Ctrl+End', { row: 5, column: 2 })).toEqual({ list: 'last' });
  });

  it('stay in the header when there are no rows', () => {
    const empty = { ...EXTENT, first: 0, end: 0 };
    expect(press('ArrowDown', { row: HEADER, column: 1 }, empty)).toEqual(at(HEADER, 1));
    expect(press('PageDown', { row: HEADER, column: 1 }, empty)).toEqual(at(HEADER, 1));
  });

  it('are left to others if they do not move', () => {
    expect(press('a', { row: 5, column: 1 })).toBeUndefined();
  });
});
