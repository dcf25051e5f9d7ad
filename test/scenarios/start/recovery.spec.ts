import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { postmaster, scratchDirectory, startService } from './service.js';

/** A process and all that descend from it, children first. */
function tree(pid: number): number[] {
  const table = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number) as [number, number]);
  const descend = (parent: number): number[] => [
    ...table.filter(([, of]) => of === parent).flatMap(([child]) => descend(child)),
    parent,
  ];
  return descend(pid);
}

it('recovers by itself when everything was killed', async () => {
  const directory = await scratchDirectory();
  const DATA_DIR = join(directory, 'data');
  const killed = await startService({ DATA_DIR });
  const everything = tree(killed.child.pid as number);
  expect(everything).toContain(await postmaster(DATA_DIR));
  for (const pid of everything) process.kill(pid, 'SIGKILL');
  await killed.ended;

  const next = await startService({ DATA_DIR });
  expect(next.output()).toContain('npm run cli -- sign-in');
  expect((await fetch(`${next.url}/health/ready`)).status).toBe(200);
});

it('stops when its database dies, and says why', async () => {
  const DATA_DIR = join(await scratchDirectory(), 'data');
  const service = await startService({ DATA_DIR });
  process.kill((await postmaster(DATA_DIR)) as number, 'SIGKILL');
  expect(await service.ended).toMatchObject({
    status: 1,
    output: expect.stringContaining('PostgreSQL ended'),
  });
  expect(existsSync(join(DATA_DIR, 'postgres', 'server.log'))).toBe(true);
});
