import { describe, expect, it } from 'vitest';
import { CallerWindows } from './rate-limit.step.js';

describe('the windows of callers', () => {
  it('count each caller separately, for a minute from its first request', () => {
    const windows = new CallerWindows();
    const used = (caller: string, now: number) => windows.count(caller, now).used;
    expect([used('ada', 1_000), used('ada', 2_000), used('bob', 2_000)]).toEqual([1, 2, 1]);
    expect([used('ada', 60_999), used('ada', 61_000), used('bob', 61_000)]).toEqual([3, 1, 2]);
  });

  it('have their start time', () => {
    const windows = new CallerWindows();
    windows.count('ada', 1_000);
    expect(windows.count('ada', 2_000).startedAt).toBe(1_000);
  });

  it('start again when the clock is set back', () => {
    const windows = new CallerWindows();
    windows.count('ada', 10_000_000);
    expect(windows.count('ada', 5_000)).toEqual({ startedAt: 5_000, used: 1 });
  });

  it('are removed after they have ended, when a new caller comes', () => {
    const windows = new CallerWindows();
    for (const caller of ['a', 'b', 'c']) windows.count(caller, 0);
    windows.count('late', 30_000);
    windows.count('new', 60_000);
    expect(windows.size).toBe(2);
    expect(windows.count('late', 60_000).used).toBe(2);
  });

  it('are never more than the limit: the oldest is removed', () => {
    const windows = new CallerWindows(2);
    for (const caller of ['a', 'b', 'c']) windows.count(caller, 0);
    expect(windows.size).toBe(2);
    expect([windows.count('c', 1).used, windows.count('b', 1).used]).toEqual([2, 2]);
    expect(windows.count('a', 1).used).toBe(1);
  });
});
