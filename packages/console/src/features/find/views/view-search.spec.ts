import { expect, it } from 'vitest';
import { isChanged, type StoredView, stateOf, storedOf } from './view-search.js';

const view: StoredView = {
  filter: { year: { $gt: 1900 } },
  sort: { year: -1, title: 1 },
  columns: [{ name: 'title', width: 240 }, 'year', { label: 'no name' }],
};

it('opens as a filter, a sort and columns of the address', () => {
  expect(stateOf(view)).toEqual({
    filter: { year: { $gt: 1900 } },
    sort: ['-year', 'title'],
    columns: ['title', 'year'],
  });
  expect(stateOf({ filter: {}, sort: {}, columns: null })).toEqual({});
});

it('is unchanged when it is opened, and changed by filter, sort, or columns', () => {
  const state = stateOf(view);
  expect(isChanged(view, state)).toBe(false);
  expect(isChanged(view, { ...state, filter: undefined })).toBe(true);
  expect(isChanged(view, { ...state, sort: ['title', '-year'] })).toBe(true);
  expect(isChanged(view, { ...state, columns: ['year', 'title'] })).toBe(true);
});

it('is saved with what another program stored in its columns', () => {
  expect(storedOf({ sort: ['year'], columns: ['year', 'title'] }, view)).toEqual({
    filter: {},
    sort: { year: 1 },
    columns: ['year', { name: 'title', width: 240 }],
  });
  expect(storedOf({}).columns).toBeNull();
});
