import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { keepPace } from './transfer-pace.js';

const SETTINGS = { TRANSFER_MIN_BYTES_PER_SECOND: 100, TRANSFER_RATE_WINDOW_SECONDS: 10 };

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

/** A transfer of this many bytes per second. `waiting`: the service waits for its client. */
function transfer(bytesPerSecond: number, waiting = true) {
  const began = performance.now();
  return {
    moved: () => ((performance.now() - began) / 1_000) * bytesPerSecond,
    isWaiting: () => waiting,
    end: vi.fn(),
  };
}

it('ends only a transfer that is slower than the minimum rate over the window', () => {
  const [slow, fast, busy] = [transfer(90), transfer(110), transfer(0, false)];
  const stops = [slow, fast, busy].map(each => keepPace(each, SETTINGS));
  vi.advanceTimersByTime(9_000);
  expect(slow.end).not.toHaveBeenCalled();
  vi.advanceTimersByTime(2_000);
  expect(slow.end).toHaveBeenCalledOnce();
  vi.advanceTimersByTime(60_000);
  expect(fast.end).not.toHaveBeenCalled();
  expect(busy.end).not.toHaveBeenCalled();
  for (const stop of stops) stop();
  expect(vi.getTimerCount()).toBe(0);
});

it('does not watch transfers without a minimum rate', () => {
  keepPace(transfer(0), { ...SETTINGS, TRANSFER_MIN_BYTES_PER_SECOND: 0 });
  expect(vi.getTimerCount()).toBe(0);
});
