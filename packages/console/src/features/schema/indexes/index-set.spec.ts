import { describe, expect, it } from 'vitest';
import { entriesOf, entryKey, entryOf, setOf } from './index-set.js';

const SET = {
  indexes: [{ properties: ['city', 'age'] }, { properties: ['name'], kind: 'search' as const }],
  uniques: [{ properties: ['email'] }],
};

describe('the indexes of a collection', () => {
  it('are one list of entries, and become the set of the service again', () => {
    const entries = entriesOf(SET);
    expect(entries.map(({ kind }) => kind)).toEqual(['unique', 'ordered', 'search']);
    expect(setOf(entries)).toEqual(SET);
  });

  it('differ by kind, columns and their order', () => {
    const keys = [
      { kind: 'ordered', properties: ['a', 'b'] },
      { kind: 'ordered', properties: ['b', 'a'] },
      { kind: 'ordered', properties: ['a,b'] },
      { kind: 'unique', properties: ['a', 'b'] },
    ] as const;
    expect(new Set(keys.map(entryKey)).size).toBe(4);
  });

  it('are ordered where advice names no kind', () => {
    expect(entryOf({ properties: ['a'] })).toEqual({ kind: 'ordered', properties: ['a'] });
  });
});
