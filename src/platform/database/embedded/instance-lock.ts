import { randomUUID } from 'node:crypto';
import { link, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, connect, createServer, type Server } from 'node:net';
import { join } from 'node:path';

/** The holder of the lock. It listens on `port` on loopback and answers every connection with `nonce`. */
interface Holder {
  pid: number;
  port: number;
  nonce: string;
}

export interface InstanceLock {
  release(): Promise<void>;
}

/** Time for the answer of a holder that is busy. After it the lock counts as held if the process exists. */
const ANSWER_WITHIN_MS = 2_000;

/** True while a running process holds the lock. */
export async function isInstanceLockHeld(directory: string): Promise<boolean> {
  const holder = await holderOf(directory, await lastNumber(directory).catch(() => 0));
  return holder !== undefined && (await isAlive(holder));
}

/**
 * Takes a lock that a Node process holds until it ends; throws when a running process holds it.
 *
 * Node has no flock. The kernel closes a listening socket however the process ends, even after kill -9. So the holder
 * listens on a loopback port of its own and answers with a nonce that no other process knows: a reused process id or
 * port is not mistaken for the holder. The port is in a file named by a number that only grows. A process that finds
 * holder n dead becomes holder n + 1 with link(2), which succeeds for exactly one of several processes. Files are not
 * removed on release, because a number could then be used twice. The lock works within one machine (one network
 * namespace).
 */
export async function takeInstanceLock(directory: string): Promise<InstanceLock> {
  await mkdir(directory, { recursive: true });
  const nonce = randomUUID();
  const server = await listen(nonce);
  const holder: Holder = { pid: process.pid, port: (server.address() as AddressInfo).port, nonce };
  try {
    await becomeHolder(directory, holder);
  } catch (error) {
    await close(server);
    throw error;
  }
  return { release: () => close(server) };
}

async function becomeHolder(directory: string, holder: Holder): Promise<void> {
  const draft = join(directory, `${holder.nonce}.draft`);
  await writeFile(draft, JSON.stringify(holder));
  try {
    for (;;) {
      const last = await lastNumber(directory);
      await refuseIfAlive(directory, last);
      const mine = last + 1;
      if (!(await linked(draft, join(directory, String(mine))))) continue;
      // A directory listing during changes by other processes may miss the newest file, so it is checked again.
      if ((await lastNumber(directory)) === mine) return await removeOlder(directory, mine);
      await rm(join(directory, String(mine)));
    }
  } finally {
    await rm(draft, { force: true });
  }
}

async function linked(draft: string, target: string): Promise<boolean> {
  try {
    await link(draft, target);
    return true;
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === 'EEXIST') return false;
    throw error;
  }
}

async function numbers(directory: string): Promise<number[]> {
  return (await readdir(directory)).filter(name => /^\d+$/.test(name)).map(Number);
}

async function lastNumber(directory: string): Promise<number> {
  return Math.max(0, ...(await numbers(directory)));
}

async function removeOlder(directory: string, mine: number): Promise<void> {
  const older = (await numbers(directory)).filter(number => number < mine);
  await Promise.all(older.map(number => rm(join(directory, String(number)), { force: true })));
}

async function refuseIfAlive(directory: string, number: number): Promise<void> {
  const holder = await holderOf(directory, number);
  if (holder === undefined || !(await isAlive(holder))) return;
  throw new Error(
    `Another instance (process ${holder.pid}) is already using the data in ${directory}. ` +
      'Stop it first, or set DATA_DIR to another directory for this one.',
  );
}

async function holderOf(directory: string, number: number): Promise<Holder | undefined> {
  const text = await readFile(join(directory, String(number)), 'utf8').catch(() => undefined);
  return text === undefined ? undefined : (JSON.parse(text) as Holder);
}

function isAlive(holder: Holder): Promise<boolean> {
  return new Promise(resolve => {
    const chunks: Buffer[] = [];
    const socket = connect({ port: holder.port, host: '127.0.0.1' });
    const settle = (alive: boolean) => {
      socket.destroy();
      resolve(alive);
    };
    socket.setTimeout(ANSWER_WITHIN_MS, () => settle(processExists(holder.pid)));
    socket.on('data', chunk => chunks.push(chunk));
    socket.once('error', () => settle(false));
    socket.once('end', () => settle(Buffer.concat(chunks).toString() === holder.nonce));
  });
}

function processExists(pid: number): boolean {
  try {
    return process.kill(pid, 0);
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM';
  }
}

function listen(nonce: string): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer(socket => {
      socket.on('error', () => socket.destroy());
      socket.end(nonce);
    });
    server.once('error', reject);
    server.listen(0, '127.0.0.1', () => resolve(server.unref()));
  });
}

function close(server: Server): Promise<void> {
  return new Promise(resolve => server.close(() => resolve()));
}
