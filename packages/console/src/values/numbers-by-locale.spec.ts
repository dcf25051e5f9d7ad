import { expect, it } from 'vitest';
import { withoutNoise } from './numbers-by-locale.js';

it.each([
  [26403.770000000008, 26403.77],
  [0.1 + 0.2, 0.3],
  [Number.MAX_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
  [1e21, 1e21],
])('a computed number has no noise of binary fractions: %d', (number, shown) => {
  expect(withoutNoise(number)).toBe(shown);
});
