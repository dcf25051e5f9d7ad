import { describe, expect, it } from 'vitest';
import { allColumns, hiddenFields, moved, shownColumns } from './columns.js';
import { directionOf, nextDirection, sortBy, sortQuery } from './sort.js';

const SCHEMA = {
  title: { type: 'text', nullable: false },
  year: { type: 'integer', nullable: true },
} as const;
const names = (columns: readonly { name: string }[]) => columns.map(({ name }) => name);

describe('the columns of a grid', () => {
  const all = allColumns(SCHEMA, ['_id', 'title', 'shelf', '_cut', '_etag', 'created_at']);

  it('are those of the schema, of the records that were read, and of the service', () => {
    expect(names(all)).toEqual(['title', 'year', 'shelf', '_id', 'created_at', 'updated_at']);
    expect(all[2]).toEqual({ name: 'shelf', type: 'flexible', origin: 'flexible' });
  });

  it('are those of the schema until others are chosen', () => {
    expect(names(shownColumns(all, undefined))).toEqual(['title', 'year']);
    expect(names(shownColumns(all, ['year', 'shelf', 'year']))).toEqual(['year', 'shelf']);
  });

  it('are flexible fields if the schema has no columns, and the id if there are no fields', () => {
    expect(names(shownColumns(allColumns({}, ['a', 'b']), undefined))).toEqual(['a', 'b']);
    expect(names(shownColumns(allColumns({}, []), undefined))).toEqual(['_id', 'created_at']);
  });

  it('may be fields that no record has yet', () => {
    expect(shownColumns(all, ['later'])).toEqual([{ name: 'later', type: 'flexible', origin: 'flexible' }]);
  });

  it('are read without those that are hidden, and with all flexible fields', () => {
    expect(hiddenFields(all, shownColumns(all, ['year']))).toEqual({
      title: 0,
      created_at: 0,
      updated_at: 0,
    });
    expect(hiddenFields(all, all)).toBeUndefined();
  });

  it('of a collection without columns are read in one request: nothing of the first page is left out', () => {
    const first = allColumns({}, []);
    const then = allColumns({}, ['_id', 'shelf']);
    expect(hiddenFields(first, shownColumns(first, undefined))).toBeUndefined();
    expect(hiddenFields(then, shownColumns(then, undefined))).toBeUndefined();
  });

  it('can be moved', () => {
    expect(moved(['a', 'b', 'c'], 'c', -1)).toEqual(['a', 'c', 'b']);
    expect(moved(['a', 'b', 'c'], 'a', -1)).toEqual(['a', 'b', 'c']);
    expect(moved(['a', 'b', 'c'], 'a', 5)).toEqual(['b', 'c', 'a']);
  });
});

describe('a sort', () => {
  it('is written for the service', () => {
    expect(sortQuery(['-year', 'title'])).toEqual({ year: -1, title: 1 });
    expect(sortQuery(undefined)).toBeUndefined();
  });

  it('goes from ascending to descending to none', () => {
    expect(nextDirection(undefined)).toBe('ascending');
    expect(nextDirection('ascending')).toBe('descending');
    expect(nextDirection('descending')).toBeUndefined();
    expect(sortBy('year', 'descending')).toEqual(['-year']);
    expect(directionOf(['-year'], 'year')).toBe('descending');
    expect(directionOf(['-year'], 'title')).toBeUndefined();
  });
});
