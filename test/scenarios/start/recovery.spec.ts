import { execFileSync } from 'node:child_process';
import { join } from 'node:path';
import { expect, it } from 'vitest';
import { killHard } from '../embedded/instances.js';
import { postmaster, scratchDirectory, startService } from './service.js';

/** A process and all its descendants, parents first, because a running parent could react to the end of a child. */
function tree(pid: number): number[] {
  const table = execFileSync('ps', ['-e', '-o', 'pid=,ppid='], { encoding: 'utf8' })
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number) as [number, number]);
  const descend = (parent: number): number[] => [
    parent,
    ...table.filter(([, of]) => of === parent).flatMap(([child]) => descend(child)),
  ];
  return descend(pid);
}

it('recovers after all its processes were killed, and exits with the reason if only its database is killed', async () => {
  const directory = await scratchDirectory();
  const DATA_DIR = join(directory, 'data');
  const killed = await startService({ DATA_DIR });
  const everything = tree(killed.child.pid as number);
  expect(everything).toContain(await postmaster(DATA_DIR));
  for (const pid of everything) killHard(pid);
  await killed.ended;

  const next = await startService({ DATA_DIR });
  expect(next.output()).toContain('npm run cli -- sign-in');
  expect((await fetch(`${next.url}/health/ready`)).status).toBe(200);

  process.kill((await postmaster(DATA_DIR)) as number, 'SIGKILL');
  const { status, output } = await next.ended;
  expect(status).toBe(1);
  expect(output).toContain('PostgreSQL ended by itself');
  expect(output).toContain(join(DATA_DIR, 'postgres', 'server.log'));
});
