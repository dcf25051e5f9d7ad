import { describe, expect, it } from 'vitest';
import type { JsonValue } from '../../../base/kernel/json.js';
import { compareValues, comparison, isSame, ValueSet } from './values.js';

/** Sorted in MongoDB's order ("Comparison/Sort Order"). */
const ORDERED: JsonValue[] = [
  ...[null, -1e300, -1, 0, 5e-324, 1, '', 'B', 'a', 'ab', 'é', '\uffee', '𝄞', {}],
  ...[{ b: null }, { a: 1 }, { a: 2 }, { a: 2, b: 1 }, { b: 1 }, { a: 'x' }],
  ...[[], [null], [1], [1, 1], [2], ['a'], [[]], false, true],
];

describe('values', () => {
  it('are ordered by type, then by value', () => {
    for (const [position, one] of ORDERED.entries()) {
      for (const [other, value] of ORDERED.entries()) {
        expect([one, value, Math.sign(compareValues(one, value))]).toEqual([
          one,
          value,
          Math.sign(position - other),
        ]);
      }
    }
  });

  it('are the same whatever the order of their fields', () => {
    const [one, other] = [
      { a: 1, b: { c: [{ d: 1, e: 2 }] } },
      { b: { c: [{ e: 2, d: 1 }] }, a: 1 },
    ];
    expect([isSame(one, other), new ValueSet([one]).has(other)]).toEqual([true, true]);
    expect(isSame([1, 2], [2, 1])).toBe(false);
    expect(isSame(null, undefined)).toBe(false);
    expect(isSame(undefined, undefined)).toBe(true);
    expect(new ValueSet(['1']).has(1)).toBe(false);
  });

  it('are found in a set exactly if it contains an equal one', () => {
    for (const [position, one] of ORDERED.entries()) {
      const others = ORDERED.filter((_, other) => other !== position);
      expect([one, new ValueSet([one]).has(one), new ValueSet(others).has(one)]).toEqual([one, true, false]);
    }
  });

  it('are sorted with the fields of each object put in order once', () => {
    let read = 0;
    const counted = (n: number) =>
      new Proxy(
        { b: n % 7, a: { c: n } },
        {
          ownKeys: each => {
            read += 1;
            return Reflect.ownKeys(each);
          },
        },
      );
    const values: JsonValue[] = Array.from({ length: 100 }, (_, n) => counted((n * 37) % 100));
    const sorted = [...values].sort(comparison());
    expect(read).toBe(100);
    expect(sorted).toEqual([...values].sort(compareValues));
  });
});

it('a set of many numbers is made in a time that grows with their number, also of multiples of 2^32 + 1', () => {
  const values = Array.from({ length: 100_000 }, (_, index) => [(index + 1) * (2 ** 32 + 1)]);
  const set = new ValueSet(values);
  expect(values.every(value => set.has([...value]))).toBe(true);
  expect(set.has([2 ** 32])).toBe(false);
});
