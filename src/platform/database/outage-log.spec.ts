import { afterEach, expect, it, vi } from 'vitest';
import { OutageLog } from './outage-log.js';

afterEach(() => vi.useRealTimers());

it('logs a failure at once, then at intervals that double up to a minute, and its end once', () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  const lines: [atSeconds: number, line: string][] = [];
  const note = (line: string) => void lines.push([Math.round(performance.now() / 1_000), line]);
  const outage = new OutageLog({ warn: note }, 'looking');
  outage.succeeded();
  const begun = Math.round(performance.now() / 1_000);
  for (let seconds = 0; seconds < 200; seconds += 0.5) {
    outage.failed(new Error('no database'));
    vi.advanceTimersByTime(500);
  }
  outage.succeeded();
  outage.succeeded();
  expect(lines.map(([at]) => at - begun)).toEqual([0, 1, 3, 7, 15, 31, 63, 123, 183, 200]);
  expect(new Set(lines.slice(0, -1).map(([, line]) => line))).toEqual(
    new Set(['looking failed: no database']),
  );
  expect(lines.at(-1)?.[1]).toBe('looking works again');
  outage.failed(new Error('no database'));
  expect(lines).toHaveLength(11);
});
