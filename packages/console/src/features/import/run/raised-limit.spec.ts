import { expect, it } from 'vitest';
import { raisedLimit } from './raised-limit.js';

it.each([
  ['doubles the limit while nothing is known', 0, 0, 100_000, 200_000],
  ['has room for all rows of the file', 1_000, 500, 100_000, 150_000],
  ['is not more than the service allows', 1_000, 500, 9_999_999, 10_000_000],
])('a proposed limit %s', (_, bytes, rows, max, expected) => {
  expect(raisedLimit(max, { bytes, rows }, 100_000, 10_000_000)).toBe(expected);
});
