import { once } from 'node:events';
import { readdir } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  dataDirectory,
  forkInstance,
  isRunning,
  killHard,
  killNode,
  postmasterPid,
  query,
  start,
  startInstance,
} from './instances.js';

describe('after an instance was killed', () => {
  it('the next start stops and replaces its server, with all committed data', async () => {
    const dataDir = await dataDirectory();
    const killed = await startInstance(dataDir);
    await query(killed.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    await killNode(killed.child);
    const orphan = (await postmasterPid(dataDir))!;
    expect(isRunning(orphan)).toBe(true);

    const lines: string[] = [];
    const next = await start(dataDir, { log: line => lines.push(line) });
    expect(await query(next.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    // The pid file disappears first; the init process reaps the process later.
    await expect.poll(() => isRunning(orphan)).toBe(false);
    expect(await postmasterPid(dataDir)).not.toBe(orphan);
    expect(lines).toEqual([expect.stringContaining(`process ${orphan}`)]);
  });

  it('together with its server, the next start recovers the data', async () => {
    const dataDir = await dataDirectory();
    const killed = await startInstance(dataDir);
    await query(killed.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const tree = await query(killed.url, 'SELECT pid FROM pg_stat_activity WHERE pid <> pg_backend_pid()');
    const postmaster = (await postmasterPid(dataDir))!;
    await killNode(killed.child);
    for (const pid of [postmaster, ...tree.map(row => Number(row.pid))]) killHard(pid);

    const next = await start(dataDir);
    expect(await query(next.url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
  });

  it('together with only the postmaster, the next start waits for the remaining server processes', async () => {
    const dataDir = await dataDirectory();
    const killed = await startInstance(dataDir);
    await query(killed.url, 'CREATE TABLE kept AS SELECT 42 AS answer');
    const [writer] = await query(
      killed.url,
      "SELECT pid FROM pg_stat_activity WHERE backend_type = 'walwriter'",
    );
    const remaining = Number(writer!.pid);
    process.kill(remaining, 'SIGSTOP');
    onTestFinished(() => killHard(remaining));
    await killNode(killed.child);
    killHard((await postmasterPid(dataDir))!);

    const order: string[] = [];
    const next = start(dataDir).finally(() => order.push('started'));
    await delay(1_000);
    order.push('left');
    process.kill(remaining, 'SIGCONT');
    expect(await query((await next).url, 'SELECT answer FROM kept')).toEqual([{ answer: 42 }]);
    expect(order).toEqual(['left', 'started']);
  });

  it('while it created the database, the next start creates it', async () => {
    const dataDir = await dataDirectory();
    const child = forkInstance(dataDir);
    const home = join(dataDir, 'postgres');
    const names = () => readdir(home, { recursive: true }).catch(() => []);
    while (!(await names()).some(name => /^cluster\.new-.*PG_VERSION$/.test(name))) await delay(5);
    await killNode(child);
    expect(await readdir(home)).not.toContain('cluster');

    const next = await start(dataDir);
    expect(await query(next.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });
});

describe('a running instance', () => {
  it('reserves its data directory: a second instance is refused with the id of the first', async () => {
    const dataDir = await dataDirectory();
    const living = await startInstance(dataDir);
    await expect(start(dataDir)).rejects.toThrow(
      new RegExp(`process ${living.child.pid}\\b.*Stop it first.*DATA_DIR`),
    );
    expect(await query(living.url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);
  });

  it('is the only one of several started at once, whatever a killed instance has left behind', async () => {
    const dataDir = await dataDirectory();
    await killNode((await startInstance(dataDir)).child);
    const attempts = await Promise.allSettled(Array.from({ length: 8 }, () => start(dataDir)));
    const refusals = attempts.filter(attempt => attempt.status === 'rejected');
    expect(refusals).toHaveLength(7);
    for (const { reason } of refusals) expect(reason.message).toContain('Another instance');
  });

  it('receives Ctrl-C alone, and its server stops only when the instance stops it', async () => {
    const dataDir = await dataDirectory();
    const { child, url } = await startInstance(dataDir);
    const heard = once(child, 'message');
    process.kill(-child.pid!, 'SIGINT');
    expect(await heard).toContainEqual({ interrupted: true });
    expect(await query(url, 'SELECT 1 AS one')).toEqual([{ one: 1 }]);

    const postmaster = (await postmasterPid(dataDir))!;
    const gone = once(child, 'exit');
    child.send('stop');
    expect(await gone).toEqual([0, null]);
    expect(isRunning(postmaster)).toBe(false);
  });
});
