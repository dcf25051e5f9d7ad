import { setTimeout as delay } from 'node:timers/promises';
import { expect, it, onTestFinished } from 'vitest';
import { leave, Readiness } from '../../../src/platform/http/server/listening.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { freshDatabaseUrl } from '../../harness/database.js';
import { scratchDirectory, startService } from '../start/service.js';
import { linkTo } from './database-link.js';

async function appBehindLink() {
  const link = await linkTo(await freshDatabaseUrl());
  const app = await startOwnApp({ database: { url: link.url } });
  onTestFinished(() => app.close());
  return { app, link };
}

const ready = (app: TestApp) => app.request('GET', '/health/ready');

async function becomesReady(app: TestApp): Promise<void> {
  while ((await ready(app)).status !== 200) await delay(100);
}

it('an instance is not ready while its database is unreachable, stays live, and becomes ready again', async () => {
  const { app, link } = await appBehindLink();
  expect((await ready(app)).body).toEqual({ status: 'ready' });
  await link.cut();
  const away = await ready(app);
  expect(away.status).toBe(503);
  expect(away.headers.get('retry-after')).toBe('2');
  expect(away.body.error).toBe('Unavailable');
  expect((await app.request('GET', '/health/live')).status).toBe(200);
  await link.restore();
  await becomesReady(app);
});

it('an instance whose database does not respond reports that within the time limit', async () => {
  const { app, link } = await appBehindLink();
  link.silence();
  const answers = await Promise.all([ready(app), ready(app)]);
  expect(answers.map(({ status }) => status)).toEqual([503, 503]);
  await link.restore();
  await becomesReady(app);
});

it('an instance that is about to stop is not ready, and still serves requests', async () => {
  const app = await startOwnApp({ database: 'own' });
  onTestFinished(() => app.close());
  await leave(app.nest.get(Readiness, { strict: false }), 0);
  expect((await ready(app)).status).toBe(503);
  expect((await app.request('GET', '/health/live')).status).toBe(200);
  const list = await app.request('GET', '/v1/collections', { key: app.bootstrap.orgApiKey });
  expect(list.status).toBe(200);
});

it('an instance is not ready, and stops, when the database needs a later version or is half restored', async () => {
  const app = await startOwnApp({ database: 'own' });
  onTestFinished(() => app.close());
  const reasons: string[] = [];
  app.nest.get(Readiness, { strict: false }).cannotGoOn = reason => reasons.push(reason);
  await app.sql(`UPDATE service_versions SET lowest = '9.0.10'`);
  expect((await ready(app)).body.message).toMatch(/needs version 9\.0\.10 of the service/);
  await app.sql(`UPDATE service_versions SET lowest = '1.0.0'`);
  expect((await ready(app)).status).toBe(200);
  await app.sql('ALTER TABLE migrations RENAME TO migrations_of_an_unfinished_restore');
  expect((await ready(app)).status).toBe(503);
  expect(reasons).toEqual([expect.stringContaining('9.0.10'), expect.stringContaining('A restore')]);
});

it('after SIGTERM requests are accepted for SHUTDOWN_DELAY_SECONDS, then no longer', async () => {
  const DATA_DIR = await scratchDirectory();
  const DATABASE_URL = await freshDatabaseUrl();
  const service = await startService({ DATABASE_URL, DATA_DIR, SHUTDOWN_DELAY_SECONDS: '5' });
  const statusOf = async (path: string) => (await fetch(`${service.url}${path}`)).status;
  service.child.kill('SIGTERM');
  while ((await statusOf('/health/ready')) !== 503) await delay(10);
  expect(await statusOf('/health/live')).toBe(200);
  expect((await service.ended).status).toBe(0);
  await expect(statusOf('/health/live')).rejects.toThrow();
});
