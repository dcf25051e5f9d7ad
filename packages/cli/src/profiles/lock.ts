import { open, rm, stat } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError } from '../exit.js';

/** A lock is held for the time of one request at most. An older one was left by a process that was killed. */
const STALE_MS = 60_000;
const WAIT_MS = 65_000;
const POLL_MS = 50;

/** Runs `work` while no other process holds the lock file. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const deadline = Date.now() + WAIT_MS;
  while (!(await acquired(path))) {
    if (Date.now() > deadline)
      throw new CliError(`Another tcol holds ${path}.`, 1, 'Delete it if none is running.');
    await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await rm(path, { force: true });
  }
}

async function acquired(path: string): Promise<boolean> {
  try {
    await (await open(path, 'wx', 0o600)).close();
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw error;
  }
  const age = Date.now() - ((await stat(path).catch(() => undefined))?.mtimeMs ?? Date.now());
  if (age > STALE_MS) await rm(path, { force: true });
  return false;
}
