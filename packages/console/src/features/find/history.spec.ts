import { expect, it } from 'vitest';
import { forgetFilters, lastFilters, rememberFilter } from './history.js';

function newStore(full = false) {
  const items = new Map<string, string>();
  return {
    items,
    getItem: (key: string) => items.get(key) ?? null,
    setItem: (key: string, value: string) => {
      if (full) throw new Error('full');
      items.set(key, value);
    },
    removeItem: (key: string) => void items.delete(key),
  };
}

it('keeps the last 20 filters of a person and a collection, each once, the latest first', () => {
  const store = newStore();
  for (let year = 1; year <= 25; year++) rememberFilter(store, 'ada', 'books', { year });
  rememberFilter(store, 'ada', 'books', { year: 20 });
  const kept = lastFilters(store, 'ada', 'books');
  expect(kept).toHaveLength(20);
  expect(kept.slice(0, 3)).toEqual([{ year: 20 }, { year: 25 }, { year: 24 }]);
  expect(lastFilters(store, 'bob', 'books')).toEqual([]);
  expect(lastFilters(store, 'ada', 'films')).toEqual([]);
});

it('keeps no empty filter and no very long one', () => {
  const store = newStore();
  rememberFilter(store, 'ada', 'books', {});
  rememberFilter(store, 'ada', 'books', { text: 'x'.repeat(20_000) });
  expect(store.items.size).toBe(0);
});

it('goes on when the storage is full or damaged', () => {
  const store = newStore(true);
  rememberFilter(store, 'ada', 'books', { year: 1 });
  store.items.set('filters:ada:books', '{oops');
  expect(lastFilters(store, 'ada', 'books')).toEqual([]);
});

it('forgets them when asked', () => {
  const store = newStore();
  rememberFilter(store, 'ada', 'books', { year: 1 });
  forgetFilters(store, 'ada', 'books');
  expect(store.items.size).toBe(0);
});
