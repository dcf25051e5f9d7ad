import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { type AdmissionLimits, AdmissionQueue } from './admission-queue.js';
import type { Share } from './share.js';

const LIMITS: AdmissionLimits = {
  maxRunning: 4,
  perOrg: 3,
  perKey: 2,
  waitingPerOrg: 4,
  waitingPerKey: 3,
  waitMs: 5_000,
  refusal: 'Too many. Retry later.',
  lockRefusal: 'Locked. Retry later.',
};

/** Enters work for many callers, and records the order of admission. */
function entrance(limits: Partial<AdmissionLimits> = {}) {
  const queue = new AdmissionQueue({ ...LIMITS, ...limits });
  const admitted: string[] = [];
  const shares = new Map<string, Share>();
  const refused: string[] = [];
  const enter = async (
    name: string,
    orgId: string,
    key = 'k',
    until?: number,
    caller?: AbortController,
    callerId?: string,
  ) => {
    try {
      const share = await queue.enter(orgId, key, until, caller, callerId);
      admitted.push(name);
      shares.set(name, share);
    } catch (error) {
      refused.push(`${name} ${(error as { code?: string }).code ?? (error as Error).message}`);
    }
  };
  const enterAs = (callerId: string, name: string, orgId = 'a') =>
    void enter(name, orgId, 'k', undefined, undefined, callerId);
  const leave = (name: string) => queue.leave(shares.get(name) as Share);
  return { queue, admitted, refused, shares, enter, enterAs, leave };
}

const settle = () => vi.advanceTimersByTimeAsync(0);

describe('an admission queue', () => {
  beforeEach(() => void vi.useFakeTimers());
  afterEach(() => void vi.useRealTimers());

  it('admits at once, without a promise, while there is room', () => {
    const { queue } = entrance();
    const share = queue.enter('a', 'k');
    expect(share).not.toBeInstanceOf(Promise);
    expect(queue.running).toBe(1);
    queue.leave(share as Share);
    expect(queue.running).toBe(0);
  });

  it('limits a key, an organization and all together, and leaves the remaining room to others', async () => {
    const { queue, enter, admitted } = entrance();
    for (const name of ['a1', 'a2', 'a3']) void enter(name, 'a', 'one');
    for (const name of ['a4', 'a5']) void enter(name, 'a', 'two');
    void enter('b1', 'b');
    void enter('b2', 'b');
    await settle();
    expect(admitted).toEqual(['a1', 'a2', 'a4', 'b1']);
    expect([queue.running, queue.waiting]).toEqual([4, 3]);
  });

  it('admits organizations in rotation, and within one to its keys in rotation', async () => {
    const { enter, leave, admitted } = entrance({ maxRunning: 1, waitingPerOrg: 9, waitingPerKey: 9 });
    void enter('first', 'z');
    for (const name of ['a1', 'a2', 'a3']) void enter(name, 'a', 'one');
    void enter('a4', 'a', 'two');
    for (const name of ['b1', 'b2']) void enter(name, 'b');
    await settle();
    for (let each = 0; each < 6; each++) {
      leave(admitted.at(-1) as string);
      await settle();
    }
    expect(admitted).toEqual(['first', 'a1', 'b1', 'a4', 'b2', 'a2', 'a3']);
  });

  it('leaves room in a key for other callers, which take turns', async () => {
    const { enterAs, leave, admitted } = entrance({ perKey: 3, perCaller: 2, waitingPerKey: 9 });
    for (const name of ['x1', 'x2', 'x3', 'x4']) enterAs('x', name);
    for (const name of ['y1', 'y2']) enterAs('y', name);
    await settle();
    expect(admitted).toEqual(['x1', 'x2', 'y1']);
    for (const name of ['x1', 'x2', 'y1']) {
      leave(name);
      await settle();
    }
    expect(admitted).toEqual(['x1', 'x2', 'y1', 'x3', 'y2', 'x4']);
  });

  it('refuses a caller whose work fills its waiting list, and no other', async () => {
    const { enterAs, refused } = entrance({ maxRunning: 1, waitingPerCaller: 1 });
    for (const name of ['x1', 'x2', 'x3']) enterAs('x', name);
    enterAs('y', 'y1');
    await settle();
    expect(refused).toEqual(['x3 Unavailable']);
  });

  it('refuses at once, and counts, work beyond the waiting limit of a key or an organization', async () => {
    const { queue, enter, refused } = entrance({ maxRunning: 1 });
    void enter('runs', 'a', 'one');
    for (const name of ['a1', 'a2', 'a3', 'a4']) void enter(name, 'a', 'one');
    for (const name of ['a5', 'a6']) void enter(name, 'a', 'two');
    void enter('b1', 'b');
    await settle();
    expect(refused).toEqual(['a4 Unavailable', 'a6 Unavailable']);
    expect(queue.counts.refused).toBe(2);
    expect(queue.waiting).toBe(5);
  });

  it('refuses only work that waits too long or past its deadline', async () => {
    const { enter, leave, refused, admitted, queue } = entrance({ maxRunning: 1 });
    void enter('runs', 'a');
    void enter('hasty', 'a', 'k', performance.now() + 1_000);
    void enter('patient', 'b');
    await vi.advanceTimersByTimeAsync(1_001);
    expect(refused).toEqual(['hasty Unavailable']);
    void enter('late', 'b');
    await vi.advanceTimersByTimeAsync(4_000);
    expect(refused).toEqual(['hasty Unavailable', 'patient Unavailable']);
    leave('runs');
    await settle();
    expect(admitted).toEqual(['runs', 'late']);
    expect(queue.counts).toMatchObject({ refused: 2, waited: 1 });
    expect(queue.counts.waitedMs).toBeGreaterThanOrEqual(3_900);
  });

  it.each([
    ['soon after it entered', 10],
    ['after it has waited', 500],
  ])('removes from the queue the work of a caller who leaves %s', async (_, afterMs) => {
    const { enter, leave, refused, admitted, queue } = entrance({ maxRunning: 1 });
    const gone = new AbortController();
    void enter('runs', 'a');
    void enter('gone', 'a', 'k', undefined, gone);
    void enter('next', 'a');
    await vi.advanceTimersByTimeAsync(afterMs);
    expect(refused).toEqual([]);
    gone.abort(new Error('the client has gone'));
    await vi.advanceTimersByTimeAsync(100);
    expect(refused).toEqual(['gone the client has gone']);
    expect(queue.waiting).toBe(1);
    leave('runs');
    await settle();
    expect(admitted).toEqual(['runs', 'next']);
    expect(queue.waiting).toBe(0);
  });

  it('frees the room when the work fails', async () => {
    const queue = new AdmissionQueue({ ...LIMITS, maxRunning: 1 });
    await expect(queue.run('a', 'k', () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    await expect(queue.run('a', 'k', async () => 'yes')).resolves.toBe('yes');
  });

  describe('whose key is closed', () => {
    it('admits one probe at a time, with growing pauses, and all work when the key is open again', async () => {
      const { queue, enter, leave, admitted, shares } = entrance();
      const fails = async (name: string) => {
        const share = shares.get(name) as Share;
        queue.close(share);
        queue.leave(share);
        await settle();
      };
      await enter('a1', 'a');
      await fails('a1');
      expect(queue.isClosed('a', 'k')).toBe(true);
      for (const name of ['a2', 'a3', 'a4']) void enter(name, 'a');
      await enter('other', 'a', 'other');
      expect(admitted).toEqual(['a1', 'other']);
      await vi.advanceTimersByTimeAsync(20);
      expect(admitted).toEqual(['a1', 'other', 'a2']);
      await fails('a2');
      await vi.advanceTimersByTimeAsync(39);
      expect(admitted).toHaveLength(3);
      await vi.advanceTimersByTimeAsync(1);
      expect(admitted.at(-1)).toBe('a3');
      expect(admitted).toHaveLength(4);
      queue.open(shares.get('a3') as Share);
      leave('a3');
      await settle();
      expect(admitted.at(-1)).toBe('a4');
      expect([queue.closed, queue.isClosed('a', 'k')]).toEqual([0, false]);
    });

    it('lets work wait for the key until its deadline, beyond the longest wait for others', async () => {
      const { queue, enter, refused, shares } = entrance();
      await enter('a1', 'a');
      queue.close(shares.get('a1') as Share);
      void enter('a2', 'a', 'k', performance.now() + 9_000);
      await vi.advanceTimersByTimeAsync(8_900);
      expect(refused).toEqual([]);
      await vi.advanceTimersByTimeAsync(200);
      expect(refused).toEqual(['a2 Unavailable']);
    });

    it('queues waiting work again when the key is open again', async () => {
      const { queue, enter, leave, refused, admitted, shares } = entrance({ perKey: 1 });
      await enter('a1', 'a');
      queue.close(shares.get('a1') as Share);
      for (const name of ['a2', 'a3']) void enter(name, 'a', 'k', performance.now() + 15_000);
      await vi.advanceTimersByTimeAsync(4_900);
      queue.open(shares.get('a1') as Share);
      leave('a1');
      await vi.advanceTimersByTimeAsync(1_000);
      leave('a2');
      await settle();
      expect([admitted, refused]).toEqual([['a1', 'a2', 'a3'], []]);
    });

    it('is forgotten when no work needs it', async () => {
      const { queue, enter, leave, shares } = entrance();
      await enter('a1', 'a');
      queue.close(shares.get('a1') as Share);
      leave('a1');
      await vi.advanceTimersByTimeAsync(100);
      expect(queue.closed).toBe(0);
    });

    it('admits retried work before work that came later', async () => {
      const { queue, enter, admitted, shares } = entrance();
      await enter('a1', 'a');
      const share = shares.get('a1') as Share;
      queue.close(share);
      queue.leave(share);
      void enter('a2', 'a');
      const again = queue.enterAgain(share).then(() => admitted.push('again'));
      await vi.advanceTimersByTimeAsync(20);
      await again;
      expect(admitted).toEqual(['a1', 'again']);
    });
  });

  it('says that a lock lasts to work that waited for one, also when the key is open again', async () => {
    const queue = new AdmissionQueue({ ...LIMITS, maxRunning: 1 });
    const share = (await queue.enter('a', 'k')) as Share;
    queue.close(share);
    const messages = [
      queue.enter('a', 'k', performance.now() + 10),
      queue.enterAgain(share, performance.now() + 20),
    ];
    queue.open(share);
    messages.push(Promise.resolve(queue.enter('a', 'k')));
    const settled = Promise.allSettled(messages);
    await vi.advanceTimersByTimeAsync(6_000);
    expect((await settled).map(each => (each as PromiseRejectedResult).reason?.message)).toEqual([
      LIMITS.refusal,
      LIMITS.lockRefusal,
      LIMITS.refusal,
    ]);
  });

  it('keeps a limited number of 100,000 keys', () => {
    const queue = new AdmissionQueue(LIMITS);
    for (let each = 0; each < 100_000; each++) queue.leave(queue.enter(`org ${each}`, 'k') as Share);
    expect(queue.size).toBeLessThanOrEqual(3_003);
  });

  it('keeps nothing of keys that were only asked about', () => {
    const queue = new AdmissionQueue(LIMITS, 0);
    expect(queue.hasRoom('a', 'k')).toBe(true);
    expect(queue.size).toBe(0);
  });

  it('keeps nothing of work that was refused, waited too long, or ended while its key was closed', async () => {
    const queue = new AdmissionQueue({ ...LIMITS, maxRunning: 1, waitingPerOrg: 1 }, 0);
    const settled = Promise.allSettled(['a', 'b', 'b', 'c'].map(async org => queue.enter(org, 'k')));
    await vi.advanceTimersByTimeAsync(5_000);
    const [runs] = await settled;
    expect((await settled).map(({ status }) => status)).toEqual(['fulfilled', ...Array(3).fill('rejected')]);
    expect(queue.size).toBe(3);
    const share = (runs as PromiseFulfilledResult<Share>).value;
    queue.close(share);
    queue.leave(share);
    await vi.advanceTimersByTimeAsync(20);
    expect(queue.size).toBe(0);
  });
});
