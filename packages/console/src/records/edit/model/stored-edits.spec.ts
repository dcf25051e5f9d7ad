import { describe, expect, it } from 'vitest';
import { memoryStorage } from './memory-storage.js';
import { type StagedCell, type StagedRow, type StagedRows, withCells } from './staged-edits.js';
import { editsKey, forgetEdits, hasEdits, StoredEdits, sentKey } from './stored-edits.js';

const KEY = editsKey('ada', 'books');
const cell = (id: string, field: string, entered: StagedCell['entered']): StagedCell => ({
  record: { kind: 'updated', id, title: id, etag: '"1"' },
  field,
  before: 1,
  entered,
});
const ROWS = withCells(new Map(), [
  cell('b', 'shelf', { value: undefined }),
  cell('b', 'year', { text: 'x', problem: 'integer' }),
  cell('a', 'year', { value: 1815 }),
]);
const changed = (rows: StagedRows, id: string, value: number) =>
  withCells(rows, [cell(id, 'year', { value })]);

describe('changes that are not saved, in the browser', () => {
  it('are the same after a reload, in the same order', () => {
    const store = memoryStorage();
    expect(new StoredEdits(store, KEY).write(ROWS)).toBe(true);
    expect([...new StoredEdits(store, KEY).read()]).toEqual([...ROWS]);
    expect(new StoredEdits(store, editsKey('ada', 'other')).read().size).toBe(0);
    expect(new StoredEdits(store, editsKey('eve', 'books')).read().size).toBe(0);
  });

  it('are kept when two tabs change other records at the same moment, before either knows of the other', () => {
    const store = memoryStorage();
    const [one, other] = [new StoredEdits(store, KEY), new StoredEdits(store, KEY)];
    one.write(changed(new Map(), 'a', 2));
    other.write(changed(new Map(), 'b', 3));
    const both = new StoredEdits(store, KEY).read();
    expect([...both.keys()]).toEqual(['a', 'b']);
    // The first tab learns of the other's change, and takes back its own one.
    expect([...one.changes()]).toEqual([['b', both.get('b')]]);
    one.learn(one.changes());
    one.write(changed(new Map(), 'b', 3));
    expect([...other.changes()]).toEqual([]);
    expect([...new StoredEdits(store, KEY).read().keys()]).toEqual(['b']);
  });

  it('of another tab are told by the event of the storage', () => {
    const edits = new StoredEdits(memoryStorage(), KEY);
    edits.write(ROWS);
    const row = ROWS.get('a') as StagedRow;
    const event = (key: string | null, newValue: string | null) => edits.changeOf({ key, newValue });
    expect(event(`${KEY}:a`, JSON.stringify({ place: 1, row }))).toEqual(new Map([['a', row]]));
    expect(event(`${KEY}:a`, null)).toEqual(new Map([['a', undefined]]));
    expect(event('theme', 'dark')).toBeUndefined();
    expect(event(null, null)).toEqual(new Map([...ROWS.keys()].map(id => [id, undefined])));
  });

  it('that version 1.0 stored in one entry are read, and stored in entries of their own', () => {
    const store = memoryStorage();
    store.setItem(KEY, JSON.stringify([...ROWS.values()]));
    const edits = new StoredEdits(store, KEY);
    const rows = edits.read();
    expect(rows).toEqual(ROWS);
    edits.write(changed(rows, 'a', 1));
    expect(Object.keys(store)).toEqual([`${KEY}:b`]);
  });

  it('are gone when none is left, and after signing out', () => {
    const store = memoryStorage();
    const edits = new StoredEdits(store, KEY);
    edits.write(ROWS);
    edits.write(new Map());
    expect(Object.keys(store)).toEqual([]);
    edits.write(ROWS);
    store.setItem(sentKey(KEY), '{}');
    store.setItem('theme', 'dark');
    expect(hasEdits(store)).toBe(true);
    forgetEdits(store);
    expect(hasEdits(store)).toBe(false);
    expect(Object.keys(store)).toEqual(['theme']);
  });

  it.each(['', '{', '{"a":1}', '[{"id":"a","title":"x","kind":"updated"}]', '[null]'])(
    'are left out if they are not valid: %s',
    text => {
      const store = memoryStorage();
      store.setItem(KEY, text);
      store.setItem(`${KEY}:a`, text);
      expect(new StoredEdits(store, KEY).read().size).toBe(0);
    },
  );

  it('are said not to be stored by a full storage', () => {
    const full = {
      getItem: () => null,
      removeItem: () => undefined,
      setItem: () => {
        throw new Error('full');
      },
    };
    expect(new StoredEdits(full, KEY).write(ROWS)).toBe(false);
  });
});
