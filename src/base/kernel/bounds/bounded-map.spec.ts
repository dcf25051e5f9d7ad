import { describe, expect, it } from 'vitest';
import { BoundedMap } from './bounded-map.js';

const filled = (size: number, limit: number) => {
  const map = new BoundedMap<number, string>(limit);
  for (let n = 1; n <= size; n++) map.set(n, `value ${n}`);
  return map;
};
const held = (map: BoundedMap<number, string>, most: number) =>
  Array.from({ length: most }, (_, n) => n + 1).filter(n => map.get(n) !== undefined);

describe('a bounded map', () => {
  it('keeps half its limit of entries for certain, and never more than its limit', () => {
    expect(held(filled(5, 10), 5)).toEqual([1, 2, 3, 4, 5]);
    const map = filled(10_000, 10);
    expect(map.counts.evictions).toBe(9_990);
    expect(map.get(10_000)).toBe('value 10000');
    expect(map.get(1)).toBeUndefined();
    expect(map.counts).toMatchObject({ hits: 1, misses: 1 });
  });

  it('keeps entries that are in use, however many others are added and used', () => {
    const map = new BoundedMap<string, number>(20);
    map.set('used', 0);
    for (let n = 1; n <= 10_000; n++) {
      map.set(`other ${n}`, n);
      for (let time = 0; time < 5; time++) map.get(`other ${n}`);
      if (n % 8 === 0) expect(map.get('used')).toBe(0);
    }
  });

  it('replaces a value without evicting another', () => {
    const map = filled(10, 10);
    for (let time = 0; time < 100; time++) map.set(10, `value ${time}`);
    expect(map.get(10)).toBe('value 99');
    expect(map.get(6)).toBe('value 6');
    expect(map.counts.evictions).toBe(0);
  });

  it('removes deleted entries, new and old', () => {
    const map = filled(8, 10);
    for (const n of [1, 8]) map.delete(n);
    expect([map.get(1), map.get(8)]).toEqual([undefined, undefined]);
    expect(map.get(7)).toBe('value 7');
  });
});
