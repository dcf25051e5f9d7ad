import { describe, expect, it } from 'vitest';
import { isLost, longSearch } from './long-search.js';

function tab() {
  const kept = new Map<string, string>();
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  return longSearch(() => store);
}

const ids = Array.from({ length: 700 }, (_, index) => `01a2-${index}-${'x'.repeat(30)}`);
const LONG = { filter: { _id: { $in: ids } }, sort: ['-year'], view: '7' };

describe('the search part of an address', () => {
  it('stays short with a filter of any length, and is read again in the tab', () => {
    const { parseSearch, stringifySearch } = tab();
    const text = stringifySearch(LONG);
    expect(text.length).toBeLessThan(200);
    expect(parseSearch(text)).toEqual(LONG);
    expect(stringifySearch(LONG)).toBe(text);
  });

  it('has a short filter itself, so that links to it can be shared', () => {
    const search = { filter: { year: { $gt: 1850 } }, q: '~tilde', record: '12' };
    expect(tab().parseSearch(tab().stringifySearch(search))).toEqual(search);
  });

  it('names a filter that another tab has not', () => {
    const read: Record<string, unknown> = tab().parseSearch(tab().stringifySearch(LONG));
    const { filter, ...rest } = read;
    expect(isLost(filter)).toBe(true);
    expect(rest).toEqual({ sort: ['-year'], view: '7' });
  });

  it('is long where the tab has no room', () => {
    const full = {
      getItem: () => null,
      setItem: () => {
        throw new Error('full');
      },
    };
    const { parseSearch, stringifySearch } = longSearch(() => full);
    expect(parseSearch(stringifySearch(LONG))).toEqual(LONG);
  });
});
