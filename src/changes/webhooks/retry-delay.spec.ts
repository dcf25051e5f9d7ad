import { describe, expect, it } from 'vitest';
import { MAX_ATTEMPTS, retryDelay } from './retry-delay.js';

describe('the delay of a retry', () => {
  it('grows fourfold from 5 s to 12 hours', () => {
    const delays = Array.from({ length: MAX_ATTEMPTS - 1 }, (_, n) => retryDelay(n + 1, 0.5));
    expect(delays).toEqual([5, 20, 80, 320, 1280, 5120, 20480, 43200, 43200]);
  });

  it('is a fifth more or less, by chance', () => {
    expect([retryDelay(1, 0), retryDelay(1, 1)]).toEqual([4, 6]);
  });
});
