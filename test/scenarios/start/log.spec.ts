import { randomBytes } from 'node:crypto';
import { expect, it } from 'vitest';
import { freshDatabaseUrl } from '../../app/database.js';
import { type Program, scratchDirectory, startService } from './service.js';

async function stopped(service: Program): Promise<string> {
  service.child.kill('SIGTERM');
  return (await service.ended).output;
}

it('is nothing but JSON lines without a terminal: what was started, listening, the signal, drained, stopped', async () => {
  const secret = randomBytes(32).toString('base64');
  const settings = {
    DATABASE_URL: await freshDatabaseUrl(),
    DATA_DIR: await scratchDirectory(),
    SECRETS_MASTER_KEYS: `log:${secret}`,
  };
  const first = await stopped(await startService(settings));
  // The only place where they are shown.
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
