import { describe, expect, it } from 'vitest';
import { HEADER } from '../../grid/table/navigation.js';
import { placedTexts, rangeBetween } from './cell-range.js';

const one = { top: 5, bottom: 5, left: 2, right: 2 };

describe('a range of cells', () => {
  it('is between two corners of records, in any order', () => {
    const range = { top: 1, bottom: 4, left: 2, right: 3 };
    expect(rangeBetween({ row: 4, column: 2 }, { row: 1, column: 3 })).toEqual(range);
    expect(rangeBetween({ row: HEADER, column: 2 }, { row: 1, column: 3 })).toBeUndefined();
    expect(rangeBetween({ row: 4, column: 0 }, { row: 1, column: 3 })).toBeUndefined();
  });
});

describe('pasted cells', () => {
  it('begin at the first cell of the range', () => {
    expect(placedTexts([['a', 'b'], ['c']], one)).toEqual([
      { row: 5, column: 2, text: 'a' },
      { row: 5, column: 3, text: 'b' },
      { row: 6, column: 2, text: 'c' },
    ]);
  });

  it('fill a range that is a multiple of them, and no other one', () => {
    const range = { top: 0, bottom: 3, left: 1, right: 2 };
    expect(placedTexts([['a']], range)).toHaveLength(8);
    expect(
      placedTexts([['a'], ['b']], range)
        .map(({ text }) => text)
        .join(''),
    ).toBe('aabbaabb');
    expect(placedTexts([['a'], ['b'], ['c']], range)).toHaveLength(6);
  });

  it('have room for any number of rows', () => {
    const range = { top: 0, bottom: 0, left: 1, right: 1 };
    const texts = Array.from({ length: 200_000 }, () => ['x']);
    expect(placedTexts(texts, range)).toHaveLength(200_000);
  });
});
