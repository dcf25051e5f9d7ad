import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, expect, it, vi } from 'vitest';
import type { Clock } from '../../base/kernel/clock.js';
import { Stale } from '../../engine/storage/stale.js';
import type { Settings } from '../../platform/config/settings.js';
import { type Access, CollectionAccess } from './collection-access.js';
import type { CollectionDirectory } from './collection-directory.js';

afterEach(() => vi.restoreAllMocks());

/** Access to a collection whose version changes with each look-up. */
function changing(timeoutMs = 20_000) {
  vi.spyOn(Math, 'random').mockReturnValue(0);
  const accesses = new CollectionAccess(
    {} as CollectionDirectory,
    { REQUEST_TIMEOUT_MS: timeoutMs } as Settings,
    { now: () => new Date(0) } as Clock,
  );
  let version = 1;
  const access = () => ({ collection: { id: 'c', version: version++ } }) as Access;
  vi.spyOn(accesses, 'fresh').mockImplementation(async () => access());
  return { accesses, access: access() };
}

it('a statement succeeds after a burst of changes of its collection', async () => {
  const { accesses, access } = changing();
  const versions: number[] = [];
  const work = async ({ collection: { version } }: Access) => {
    versions.push(version);
    if (version <= 25) throw new Stale();
    return 'done';
  };
  expect(await accesses.withVersionCheck(access, work)).toBe('done');
  expect(versions).toEqual(Array.from({ length: 26 }, (_, index) => index + 1));
});

it('a statement whose collection keeps changing is retried until the deadline of the request', async () => {
  const { accesses, access } = changing(500);
  const work = vi.fn(async (_: Access, _until: number) => {
    await pause(60);
    throw new Stale();
  });
  const since = performance.now();
  await expect(accesses.withVersionCheck(access, work)).rejects.toMatchObject({
    code: 'Unavailable',
    message: expect.stringContaining('Nothing was written'),
  });
  expect(work.mock.calls.length).toBeGreaterThan(1);
  // No attempt starts after the deadline.
  expect(work.mock.calls.length).toBeLessThanOrEqual(Math.ceil(500 / 55));
  const deadlines = new Set(work.mock.calls.map(([, until]) => until));
  expect(deadlines.size).toBe(1);
  expect([...deadlines][0]).toBeGreaterThanOrEqual(since + 500);
});
