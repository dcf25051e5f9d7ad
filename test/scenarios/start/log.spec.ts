import { randomBytes } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { expect, it } from 'vitest';
import { openLink } from '../../faults/support/link.js';
import { freshDatabaseUrl } from '../../harness/database.js';
import { type Program, scratchDirectory, startService } from './service.js';

async function stopped(service: Program): Promise<string> {
  service.child.kill('SIGTERM');
  return (await service.ended).output;
}

it('contains only JSON lines without a terminal: started, listening, the signal, drained, stopped', async () => {
  const secret = randomBytes(32).toString('base64');
  const settings = {
    DATABASE_URL: await freshDatabaseUrl(),
    DATA_DIR: await scratchDirectory(),
    SECRETS_MASTER_KEYS: `log:${secret}`,
  };
  const first = await stopped(await startService(settings));
  // Only this output shows them.
  expect(first).toMatch(/iak_\S+/);

  const again = await stopped(await startService(settings));
  const lines = again
    .trim()
    .split('\n')
    .map(line => JSON.parse(line));
  expect(lines.map(({ msg }) => msg)).toEqual([
    'starting',
    'the database is migrated',
    'listening',
    'a signal asks the service to stop',
    'requests are drained',
    'stopped',
  ]);
  expect(lines[0]).toMatchObject({
    version: expect.stringMatching(/^\d+\.\d+\.\d+/),
    settings: expect.stringMatching(/^[0-9a-f]{16}$/),
  });
  expect(lines[1]).toMatchObject({ applied: [] });
  expect(lines[3]).toMatchObject({ signal: 'SIGTERM' });
  expect(again).not.toContain(secret);
});

it('reports for each repeated task that it fails without a database, ever more rarely, and that it works again', async () => {
  const link = await openLink(await freshDatabaseUrl());
  const service = await startService({
    DATABASE_URL: link.url,
    DATA_DIR: await scratchDirectory(),
    SECRETS_MASTER_KEYS: `log:${randomBytes(32).toString('base64')}`,
  });
  const works = ['listening for changes', 'sending messages of webhooks', 'making messages for webhooks'];
  const count = (line: string) => service.output().split(line).length - 1;
  const since = performance.now();
  await link.cut();
  for (const work of works)
    await expect.poll(() => count(`${work} failed`), { timeout: 15_000 }).toBeGreaterThan(0);
  await pause(8_000);
  const figures = works.map(work => count(`${work} failed`));
  const seconds = (performance.now() - since) / 1_000;
  // After 0, 1, 3, 7, 15 … seconds.
  const most = Math.floor(Math.log2(seconds + 1)) + 1;
  for (const figure of figures) expect([figure > 1, figure <= most]).toEqual([true, true]);
  await link.mend();
  for (const work of works)
    await expect.poll(() => count(`${work} works again`), { timeout: 15_000 }).toBeGreaterThan(0);
});
