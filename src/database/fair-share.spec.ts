import { describe, expect, it, vi } from 'vitest';
import { FairShare } from './fair-share.js';

/** Work that ends when it is told to. */
function held() {
  let end = () => {};
  const done = new Promise<void>(resolve => {
    end = resolve;
  });
  return { work: vi.fn(() => done), end };
}

describe('a fair share', () => {
  it('lets the third of a key wait for a place, and another key pass at once', async () => {
    const share = new FairShare(2);
    const [first, second, third] = [held(), held(), held()];
    const runs = [first, second, third].map(({ work }) => share.run('a', work));
    await share.run('b', async () => undefined);
    expect(third.work).not.toHaveBeenCalled();
    first.end();
    await runs[0];
    expect(third.work).toHaveBeenCalledOnce();
    second.end();
    third.end();
    await Promise.all(runs);
  });

  it('gives the place back when the work fails', async () => {
    const share = new FairShare(1);
    await expect(share.run('a', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(share.run('a', async () => 'yes')).resolves.toBe('yes');
  });

  it('refuses who waits too long, and takes nobody else with it', async () => {
    vi.useFakeTimers();
    try {
      const share = new FairShare(1);
      const first = held();
      const running = share.run('a', first.work);
      const late = share.run('a', async () => 'late').catch(error => error.code);
      await vi.advanceTimersByTimeAsync(5_000);
      expect(await late).toBe('Unavailable');
      first.end();
      await running;
      await expect(share.run('a', async () => 'next')).resolves.toBe('next');
    } finally {
      vi.useRealTimers();
    }
  });
});
