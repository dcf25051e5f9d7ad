import { spawn } from 'node:child_process';
import { EventEmitter, once } from 'node:events';
import { mkdir, readdir, readFile, stat, writeFile } from 'node:fs/promises';
import { createServer } from 'node:net';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { dataDirectory, isRunning, killHard, postmasterPid, query, start } from './instances.js';

describe('starting the embedded server', () => {
  it('creates the database the first time, and keeps data and address the second time', async () => {
    const dataDir = await dataDirectory();
    const first = await start(dataDir);
    expect(new URL(first.url).pathname).toBe('/platform');
    expect(await query(first.url, 'SELECT current_database() AS name')).toEqual([{ name: 'platform' }]);
    await query(first.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await first.stop();

    const second = await start(dataDir);
    expect(second.url).toBe(first.url);
    expect(await query(second.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('leaves no process behind after a stop, also after a second stop', async () => {
    const dataDir = await dataDirectory();
    const server = await start(dataDir);
    const pid = (await postmasterPid(dataDir))!;
    expect(isRunning(pid)).toBe(true);
    await Promise.all([server.stop(), server.stop()]);
    expect(isRunning(pid)).toBe(false);
    expect(await postmasterPid(dataDir)).toBeUndefined();
  });

  it('requires a password, in a file that only its owner can read', async () => {
    const dataDir = await dataDirectory();
    const { url } = await start(dataDir);
    const stranger = new URL(url);
    stranger.password = 'guess';
    await expect(query(stranger.href, 'SELECT 1')).rejects.toThrow(/password authentication failed/);
    const file = join(dataDir, 'postgres', 'cluster', 'superuser.password');
    expect((await stat(file)).mode & 0o077).toBe(0);
    expect(await readFile(join(dataDir, 'postgres', 'server.log'), 'utf8')).not.toContain(
      new URL(url).password,
    );
  });

  it('sorts text by code point, yet knows the case of all letters', async () => {
    const { url } = await start(await dataDirectory());
    const sorted = `SELECT string_agg(c, '' ORDER BY c) AS all FROM unnest(ARRAY['b', 'ä', 'a', 'B', 'Z']) c`;
    expect(await query(url, sorted)).toEqual([{ all: 'BZabä' }]);
    const cases = `SELECT lower('ÄÉ') AS low, upper('äσ') AS up, 'Äß' ~* '^äß$' AS same`;
    expect(await query(url, cases)).toEqual([{ low: 'äé', up: 'ÄΣ', same: true }]);
  });

  it('listens on loopback only', async () => {
    const { url } = await start(await dataDirectory());
    expect(await query(url, 'SHOW listen_addresses')).toEqual([{ listen_addresses: '127.0.0.1' }]);
    expect(await query(url, 'SHOW unix_socket_directories')).toEqual([{ unix_socket_directories: '' }]);
  });

  it('uses another port when the previous one is taken', async () => {
    const dataDir = await dataDirectory();
    const first = await start(dataDir);
    await query(first.url, 'CREATE TABLE kept ()');
    await first.stop();
    const port = Number(new URL(first.url).port);
    const squatter = createServer().listen(port, '127.0.0.1');
    onTestFinished(() => void squatter.close());
    await once(squatter, 'listening');

    const second = await start(dataDir);
    expect(Number(new URL(second.url).port)).not.toBe(port);
    expect(await query(second.url, 'SELECT FROM kept')).toEqual([]);
  });

  it('ignores a pid file whose process is another program now, and leaves that program alone', async () => {
    const dataDir = await dataDirectory();
    await (await start(dataDir)).stop();
    const cluster = join(dataDir, 'postgres', 'cluster');
    const { uid, gid } = await stat(cluster);
    const stranger = spawn('sleep', ['60'], process.getuid?.() === 0 ? { uid, gid } : {});
    onTestFinished(() => void stranger.kill());
    await writeFile(join(cluster, 'postmaster.pid'), `${stranger.pid}\n${cluster}\n1\n1\n\n\n\n`);

    const server = await start(dataDir);
    expect(await query(server.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect(isRunning(stranger.pid!)).toBe(true);
  });

  it('replaces a database that was left incomplete', async () => {
    const dataDir = await dataDirectory();
    const half = join(dataDir, 'postgres', 'cluster.new-killed');
    await mkdir(half, { recursive: true });
    await writeFile(join(half, 'PG_VERSION'), '18\n');
    const { url } = await start(dataDir);
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
    expect((await readdir(join(dataDir, 'postgres'))).filter(name => name.startsWith('cluster'))).toEqual([
      'cluster',
    ]);
  });

  it('reports when the server exits on its own, and not when it is stopped', async () => {
    const dataDir = await dataDirectory();
    const reasons: string[] = [];
    const stopped = await start(dataDir, { onExit: reason => reasons.push(reason) });
    await stopped.stop();
    expect(reasons).toEqual([]);

    const ends = new EventEmitter();
    const ended = once(ends, 'end');
    await start(dataDir, { onExit: reason => ends.emit('end', reason) });
    killHard((await postmasterPid(dataDir))!);
    expect((await ended)[0]).toMatch(/ended by itself with SIGKILL/);
  });
});
