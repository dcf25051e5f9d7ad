import { afterEach, beforeEach, expect, it, vi } from 'vitest';
import { reloadAfterUpgrade } from './upgrade.js';

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

it('a page whose parts are gone loads itself again, once in ten seconds', () => {
  const page = new EventTarget();
  const kept = new Map<string, string>();
  const store = {
    getItem: (key: string) => kept.get(key) ?? null,
    setItem: (key: string, value: string) => void kept.set(key, value),
  };
  const reload = vi.fn();
  reloadAfterUpgrade(page, store, reload);
  const fail = () => page.dispatchEvent(new Event('vite:preloadError', { cancelable: true }));
  // A cancelled event is not thrown as an error of the page.
  expect(fail()).toBe(false);
  expect(fail()).toBe(true);
  expect(reload).toHaveBeenCalledTimes(1);
  vi.advanceTimersByTime(10_000);
  fail();
  expect(reload).toHaveBeenCalledTimes(2);
});
