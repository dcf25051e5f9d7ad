import { afterEach, describe, expect, it, vi } from 'vitest';
import { invalid } from '../../base/kernel/errors.js';
import { QuotaUsed } from '../../engine/storage/quota/quota.js';
import { Stale } from '../../engine/storage/stale.js';
import type { Access, CollectionAccess } from '../collections/collection-access.js';
import type { ExpiredRecords } from './expiry.service.js';
import { NotShared } from './shared-write.js';
import { type PlannedWrite, type WriteAttempt, WriteAttempts } from './write-attempts.js';

afterEach(() => vi.restoreAllMocks());

const sql = (code: string) => Object.assign(new Error(code), { code });

/** Attempts of writes to a collection whose quota gives this lease, or none. */
function service({ lease, timeoutMs = 20_000 }: { lease?: object; timeoutMs?: number } = {}) {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const calls: string[] = [];
  const access = (version: number) =>
    ({
      collection: { id: 'c', version, mayExpire: true, settings: { max_records: 10 } },
    }) as unknown as Access;
  const accesses = {
    again: async () => {
      calls.push('again');
      return access(2);
    },
    current: async (known: Access) => {
      calls.push('current');
      return known;
    },
  };
  const leases = {
    lease: () => lease,
    waitForCapacity: async (_: unknown, _most: number, count: number) => calls.push(`wait for ${count}`),
  };
  const expired = { remove: async () => calls.push('purge') };
  const attempts = new WriteAttempts(
    accesses as unknown as CollectionAccess,
    leases as never,
    expired as unknown as ExpiredRecords,
    { REQUEST_TIMEOUT_MS: timeoutMs } as never,
  );
  const run = <T>(planned: Omit<PlannedWrite<T>, 'refusal'>) =>
    attempts.run(access(1), ({ collection }) => {
      calls.push(`plan ${collection.version}`);
      return { refusal: error => error, ...planned };
    });
  return { run, calls };
}

/** A write whose attempts fail with these errors, one after the other, and then succeed. */
function failing(...errors: Error[]) {
  const states: { isAlone: boolean; isExact: boolean }[] = [];
  const write = async (attempt: WriteAttempt) => {
    states.push({ isAlone: attempt.isAlone, isExact: attempt.isExact });
    const error = errors.shift();
    if (error !== undefined) throw error;
    return 'done';
  };
  return { write, states };
}

describe('a write that failed', () => {
  it.each<[string, Error, string[]]>([
    ['is planned again after its collection has changed', new Stale(), ['plan 1', 'again', 'plan 2']],
    ['is repeated after a deadlock', sql('40P01'), ['plan 1']],
    ['is repeated after expired records were removed', sql('23505'), ['plan 1', 'purge']],
    ['waits for the capacity that it needs', new QuotaUsed(3, 10), ['plan 1', 'wait for 3']],
    ['is repeated after others took the capacity', sql('QF001'), ['plan 1']],
  ])('%s', async (_, error, expected) => {
    const { run, calls } = service();
    expect(await run(failing(error))).toBe('done');
    expect(calls).toEqual(expected);
  });

  it('is done alone after the statement that it shared has failed', async () => {
    const { write, states } = failing(new NotShared());
    expect(await service().run({ write })).toBe('done');
    expect(states.map(({ isAlone }) => isAlone)).toEqual([false, true]);
  });

  it('is done exactly once after SQL could not decide, if there is another way', async () => {
    const { write, states } = failing(sql('22003'), sql('22003'));
    await expect(service().run({ write, mayBeExact: true })).rejects.toMatchObject({ code: '22003' });
    expect(states.map(({ isExact }) => isExact)).toEqual([false, true]);
    await expect(service().run(failing(sql('22003')))).rejects.toMatchObject({ code: '22003' });
  });

  it('is repeated after another write came first, as often as it allows', async () => {
    const overtaken = { isOvertaken: () => true, maxAttempts: 3 };
    const twice = failing(new Error('a'), new Error('b'));
    expect(await service().run({ ...twice, ...overtaken })).toBe('done');
    const often = failing(new Error('a'), new Error('b'), new Error('c'));
    await expect(service().run({ ...often, ...overtaken })).rejects.toThrow('c');
  });

  it('is refused for a unique value only once expired records are removed', async () => {
    const { run, calls } = service();
    await expect(run(failing(sql('23505'), sql('23505')))).rejects.toMatchObject({ code: '23505' });
    expect(calls).toEqual(['plan 1', 'purge']);
  });

  it('is refused only after a look at the collection as it is now', async () => {
    const { run, calls } = service();
    const refusal = invalid('no');
    await expect(run(failing(refusal))).rejects.toBe(refusal);
    expect(refusal.isProven).toBe(true);
    expect(calls).toEqual(['plan 1', 'current']);
  });

  it.each<[string, Error]>([
    ['Other writes keep changing', sql('40P01')],
    ['Other writes keep using up', new QuotaUsed(1, 10)],
    ['keep changing. Nothing', new Stale()],
  ])('is not repeated after the deadline: %s', async (message, error) => {
    await expect(service({ timeoutMs: -1 }).run(failing(error))).rejects.toThrow(message);
  });
});

describe('the quota of an insert that failed', () => {
  it('is given back as the attempt ended, before the next attempt takes it again', async () => {
    const lease = { generation: 1, end: vi.fn() };
    const errors = [new Stale(), sql('23502')];
    const write = async (attempt: WriteAttempt) => {
      await attempt.quota(4);
      throw errors.shift();
    };
    await expect(service({ lease }).run({ write })).rejects.toMatchObject({ code: '23502' });
    expect(lease.end.mock.calls).toEqual([
      [4, 'stale'],
      [4, 'refused'],
    ]);
  });

  it('is looked at before the collection, if an insert without a lease did nothing', async () => {
    const { run, calls } = service();
    let isFull = true;
    const write = async (attempt: WriteAttempt) => {
      await attempt.quota(4);
      if (!isFull) return 'done';
      isFull = false;
      throw new Stale();
    };
    expect(await run({ write })).toBe('done');
    expect(calls).toEqual(['plan 1', 'wait for 4']);
  });
});
