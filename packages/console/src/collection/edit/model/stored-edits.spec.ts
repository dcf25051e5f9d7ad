import { describe, expect, it } from 'vitest';
import { withCells } from './staged-edits.js';
import { editsKey, forgetEdits, hasEdits, readEdits, writeEdits } from './stored-edits.js';

/** Storage of a browser: its keys are its properties. */
function storage(): Storage {
  const methods = {
    getItem(this: Record<string, string>, key: string) {
      return Object.hasOwn(this, key) ? this[key] : null;
    },
    setItem(this: Record<string, string>, key: string, value: string) {
      this[key] = value;
    },
    removeItem(this: Record<string, string>, key: string) {
      delete this[key];
    },
  };
  return Object.create(methods);
}

const KEY = editsKey('ada', 'books');
const ROWS = withCells(new Map(), [
  {
    record: { kind: 'updated', id: 'a', title: 'Emma', etag: '"1"' },
    ...{ field: 'shelf', before: 7, entered: { value: undefined } },
  },
  {
    record: { kind: 'updated', id: 'a', title: 'Emma', etag: '"1"' },
    ...{ field: 'year', before: 1815, entered: { text: 'x', problem: 'integer' } },
  },
]);

describe('changes that are not saved, in the browser', () => {
  it('are the same after a reload', () => {
    const store = storage();
    expect(writeEdits(store, KEY, ROWS)).toBe(true);
    expect(readEdits(store, KEY)).toEqual(ROWS);
    expect(readEdits(store, editsKey('ada', 'other')).size).toBe(0);
    expect(readEdits(store, editsKey('eve', 'books')).size).toBe(0);
  });

  it('are gone when none is left, and after signing out', () => {
    const store = storage();
    writeEdits(store, KEY, ROWS);
    writeEdits(store, KEY, new Map());
    expect(Object.keys(store)).toEqual([]);
    writeEdits(store, KEY, ROWS);
    store.setItem('theme', 'dark');
    expect(hasEdits(store)).toBe(true);
    forgetEdits(store);
    expect(hasEdits(store)).toBe(false);
    expect(Object.keys(store)).toEqual(['theme']);
  });

  it.each(['', '{', '{"a":1}', '[{"id":"a","title":"x","kind":"updated"}]', '[null]'])(
    'are left out if they are not valid: %s',
    text => {
      const store = storage();
      store.setItem(KEY, text);
      expect(readEdits(store, KEY).size).toBe(0);
    },
  );

  it('are said not to be stored by a full storage', () => {
    const full = {
      ...{ getItem: () => null, removeItem: () => undefined },
      setItem: () => {
        throw new Error('full');
      },
    };
    expect(writeEdits(full, KEY, ROWS)).toBe(false);
  });
});
