import { randomUUID } from 'node:crypto';
import { readFile, rename, rm, stat, writeFile } from 'node:fs/promises';
import { setTimeout as sleep } from 'node:timers/promises';
import { CliError, EXIT } from '../exit.js';

/** A lock is held for two requests at most, which end after less time. An older one was left by a process that was killed. */
const STALE_MS = 60_000;
const WAIT_MS = 65_000;
const POLL_MS = 20;

/** Runs `work` while no other process holds the lock file. */
export async function withLock<T>(path: string, work: () => Promise<T>): Promise<T> {
  const owner = randomUUID();
  const deadline = Date.now() + WAIT_MS;
  while (!(await created(path, owner)) && !(await takenOver(path, owner))) {
    if (Date.now() > deadline)
      throw new CliError(`Another tcol holds ${path}.`, EXIT.refused, 'Delete it if none is running.');
    await sleep(POLL_MS);
  }
  try {
    return await work();
  } finally {
    await whileClaimed(path, owner, () => rm(path, { force: true }));
  }
}

/** Replaces a stale lock by one of `owner`. */
async function takenOver(path: string, owner: string): Promise<boolean> {
  const before = await ownerOf(path);
  if (before === undefined || !(await isStale(path))) return false;
  return whileClaimed(path, before, async () => {
    const fresh = `${path}.${owner}`;
    await writeFile(fresh, owner, { mode: 0o600 });
    await rename(fresh, path);
  });
}

/**
 * Changes the lock of an owner. Only one process at a time can claim it: two that find the same stale lock do not both
 * replace it, and the second one does not remove the lock of the first. False if the lock has another owner, or another
 * process has claimed it.
 */
async function whileClaimed(path: string, owner: string, change: () => Promise<void>): Promise<boolean> {
  const claim = `${path}.claim-${owner}`;
  if (!(await created(claim, ''))) return false;
  try {
    if ((await ownerOf(path)) !== owner) return false;
    await change();
    return true;
  } finally {
    await rm(claim, { force: true });
  }
}

/** Creates a file. False if it exists. */
async function created(path: string, content: string): Promise<boolean> {
  try {
    await writeFile(path, content, { flag: 'wx', mode: 0o600 });
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function ownerOf(path: string): Promise<string | undefined> {
  return readFile(path, 'utf8').catch(() => undefined);
}

async function isStale(path: string): Promise<boolean> {
  const found = await stat(path).catch(() => undefined);
  return found !== undefined && Date.now() - found.mtimeMs > STALE_MS;
}
