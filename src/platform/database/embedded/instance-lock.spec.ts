import { mkdtemp, readdir, rm, writeFile } from 'node:fs/promises';
import { type AddressInfo, createServer } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { takeInstanceLock } from './instance-lock.js';

async function directory(): Promise<string> {
  const made = await mkdtemp(join(tmpdir(), 'instance-lock-'));
  onTestFinished(() => rm(made, { recursive: true }));
  return made;
}

/** The holder file of a dead process whose pid a running process has now. */
async function leftBehind(lock: string, port: number): Promise<void> {
  await writeFile(join(lock, '7'), JSON.stringify({ pid: process.pid, port, nonce: 'of-the-dead' }));
}

async function listenerSaying(answer: string): Promise<number> {
  const server = createServer(socket => socket.end(answer));
  onTestFinished(() => void server.close());
  await new Promise<void>(resolve => server.listen(0, '127.0.0.1', resolve));
  return (server.address() as AddressInfo).port;
}

describe('the instance lock', () => {
  it('refuses a second holder, naming the first, until it is released', async () => {
    const lock = await directory();
    const first = await takeInstanceLock(lock);
    await expect(takeInstanceLock(lock)).rejects.toThrow(`process ${process.pid}`);
    await first.release();
    await (await takeInstanceLock(lock)).release();
  });

  it('is given to exactly one of many concurrent instances', async () => {
    const lock = await directory();
    const taken = await Promise.allSettled(Array.from({ length: 50 }, () => takeInstanceLock(lock)));
    const winners = taken.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
    expect(winners).toHaveLength(1);
    await winners[0]!.release();
  });

  it('is given to exactly one of many instances that find a dead holder', async () => {
    const lock = await directory();
    await leftBehind(lock, 1);
    const taken = await Promise.allSettled(Array.from({ length: 50 }, () => takeInstanceLock(lock)));
    const winners = taken.flatMap(one => (one.status === 'fulfilled' ? [one.value] : []));
    expect(winners).toHaveLength(1);
    expect(await readdir(lock)).toEqual(['8']);
    await winners[0]!.release();
  });

  it('is available if the pid of the holder was reused', async () => {
    const lock = await directory();
    await leftBehind(lock, 1);
    await (await takeInstanceLock(lock)).release();
  });

  it('is available if another program uses the port of the holder', async () => {
    const lock = await directory();
    await leftBehind(lock, await listenerSaying('220 mail.example.com'));
    await (await takeInstanceLock(lock)).release();
  });

  it('stays with a holder that responds', async () => {
    const lock = await directory();
    await leftBehind(lock, await listenerSaying('of-the-dead'));
    await expect(takeInstanceLock(lock)).rejects.toThrow('Another instance');
    expect(await readdir(lock)).toEqual(['7']);
  });
});
