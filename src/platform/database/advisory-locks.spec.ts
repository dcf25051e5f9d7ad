import { expect, it } from 'vitest';
import { LOCK_KINDS, LOCK_NAMES, LOCKS } from './advisory-locks.js';

it('gives every lock a key of its own', () => {
  for (const numbers of [Object.values(LOCKS), Object.values(LOCK_KINDS)] as number[][]) {
    expect(new Set(numbers).size).toBe(numbers.length);
  }
  const names = Object.values(LOCK_NAMES).map(nameOf => nameOf('x'));
  expect(new Set(names).size).toBe(names.length);
});
