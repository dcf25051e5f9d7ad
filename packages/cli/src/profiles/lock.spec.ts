import {
  existsSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { withLock } from './lock.js';

let path: string;
beforeEach(() => {
  path = join(mkdtempSync(join(tmpdir(), 'lock-')), 'profiles.json.lock');
});
afterEach(() => rmSync(dirname(path), { recursive: true }));

/** A lock that a killed process left two minutes ago. */
function leaveLock(owner: string): void {
  writeFileSync(path, owner);
  const past = new Date(Date.now() - 120_000);
  utimesSync(path, past, past);
}

/** Runs many at once, and returns how many ran at the same time at most. */
async function mostAtOnce(runs: number): Promise<number> {
  let now = 0;
  let most = 0;
  const work = async () => {
    now += 1;
    most = Math.max(most, now);
    await sleep(2);
    now -= 1;
  };
  await Promise.all(Array.from({ length: runs }, () => withLock(path, work)));
  return most;
}

describe('the lock', () => {
  it('lets one at a time in', async () => {
    expect(await mostAtOnce(10)).toBe(1);
  });

  it.each(['killed', ''])(
    'of a killed process (%j) is replaced by one of those who wait, and not by two',
    async owner => {
      for (let round = 0; round < 5; round++) {
        leaveLock(owner);
        expect(await mostAtOnce(5)).toBe(1);
      }
    },
  );

  it('of a killed process is left to the process that claimed it first', async () => {
    leaveLock('killed');
    writeFileSync(`${path}.claim-killed`, '');
    let isRunning = false;
    const done = withLock(path, async () => {
      isRunning = true;
    });
    await sleep(200);
    expect([isRunning, readFileSync(path, 'utf8')]).toEqual([false, 'killed']);
    // The other process replaces the lock by its own.
    writeFileSync(path, 'another');
    rmSync(`${path}.claim-killed`);
    await sleep(200);
    expect([isRunning, readFileSync(path, 'utf8')]).toEqual([false, 'another']);
    rmSync(path);
    await done;
    expect(isRunning).toBe(true);
  });

  it('leaves no file behind, also if the work fails', async () => {
    leaveLock('killed');
    await expect(withLock(path, () => Promise.reject(new Error('no')))).rejects.toThrow('no');
    expect(readdirSync(dirname(path))).toEqual([]);
  });

  it('that another process has taken over meanwhile stays', async () => {
    await withLock(path, async () => writeFileSync(path, 'another'));
    expect(readFileSync(path, 'utf8')).toBe('another');
  });

  it('is held while the work runs', async () => {
    await withLock(path, async () => expect(existsSync(path)).toBe(true));
    expect(existsSync(path)).toBe(false);
  });
});
