import { readFile } from 'node:fs/promises';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it, onTestFinished } from 'vitest';
import { JobRunner } from '../../../src/app/jobs/job-runner.js';
import { newId } from '../../../src/base/kernel/id.js';
import { VERSION } from '../../../src/base/kernel/version.js';
import { VersionPruning } from '../../../src/features/history/version-pruning.service.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { freshDatabaseUrl } from '../../harness/database.js';
import { linkTo } from './database-link.js';

const METRICS_TOKEN = 'read-by-the-monitoring-system-only';
let app: TestApp;
let collection: TestCollection;

beforeAll(async () => {
  app = await startOwnApp({ database: 'own', environment: { METRICS_TOKEN } });
  collection = await newCollection(app, await newHome(app));
});
afterAll(() => app.close());

const scrape = (of = app) => of.request('GET', '/metrics', { token: METRICS_TOKEN });

/** The samples of a metric: values by their labels, `{label="…"}`. */
async function samples(name: string, of = app): Promise<Record<string, number>> {
  const { text } = await scrape(of);
  const lines = text.split('\n').filter(line => line.startsWith(`${name} `) || line.startsWith(`${name}{`));
  return Object.fromEntries(
    lines.map(line => {
      const at = line.lastIndexOf(' ');
      return [line.slice(name.length, at), Number(line.slice(at + 1))];
    }),
  );
}

/** The log line of a request is written shortly after the answer, when its connection has finished it. */
async function counted(labels: string): Promise<number> {
  for (;;) {
    const count = (await samples('http_request_duration_seconds_count'))[labels];
    if (count !== undefined) return count;
    await delay(10);
  }
}

describe('the metrics', () => {
  it('are served in the text format with the token, and are refused without it', async () => {
    const answer = await scrape();
    expect(answer.status).toBe(200);
    expect(answer.headers.get('content-type')).toBe('text/plain; version=0.0.4; charset=utf-8');
    for (const request of [{}, { token: `${METRICS_TOKEN}x` }, { key: app.bootstrap.orgApiKey }]) {
      const refused = await app.request('GET', '/metrics', request);
      expect([refused.status, refused.headers.get('www-authenticate')]).toEqual([
        401,
        'Bearer realm="metrics"',
      ]);
      expect(refused.text).not.toContain('database_up');
    }
    expect((await app.request('GET', '/openapi.json')).text).not.toContain('/metrics');
  });

  it('count requests by route pattern, method and class of status, whatever paths clients invent', async () => {
    const { owner, data } = collection;
    const body = { records: [{ title: 'Emma' }] };
    expect((await app.request('POST', data, { ...owner, body })).status).toBe(200);
    await app.request('GET', `${data}/${newId()}`, owner);
    await app.request('GET', '/made/up/at/random');
    expect(
      await counted('{method="GET",route="/v1/collections/:collection_id/data/:record_id",status="4xx"}'),
    ).toBe(1);
    expect(await counted('{method="GET",route="none",status="4xx"}')).toBe(1);
    const { text } = await scrape();
    expect(text).not.toContain('made/up');
    for (const secret of [collection.id, collection.name, collection.orgId, collection.orgSlug])
      expect(text).not.toContain(secret);
  });

  it('show the build, the process, the pool and the state of the listener', async () => {
    expect(await samples('platform_build_info')).toEqual({
      [`{version="${VERSION}",node="${process.versions.node}",roles="gateway,runtime"}`]: 1,
    });
    expect(Object.keys(await samples('process_resident_memory_bytes'))).toHaveLength(1);
    expect((await samples('database_pool_connections'))['{state="open"}']).toBeGreaterThan(0);
    expect(await samples('database_pool_size')).toEqual({ '': 8 });
    expect(await samples('database_pool_waiting')).toEqual({ '': 0 });
    expect(await samples('database_pipeline_statements')).toEqual({ '{lane="0"}': 0, '{lane="1"}': 0 });
    expect(await samples('database_listening')).toEqual({ '': 1 });
    expect(await samples('database_up')).toEqual({ '': 1 });
    expect(await samples('change_streams_open')).toEqual({ '': 0 });
  });

  it('are exactly those on the page for operators', async () => {
    const page = await readFile('docs/operations.md', 'utf8');
    const rows = page.slice(page.indexOf('| Metric |')).split('\n\n')[0]?.split('\n').slice(2) ?? [];
    const documented = rows.flatMap(row => (row.split('|')[1] ?? '').match(/[a-z_]+(?=`)/g) ?? []);
    const { text } = await scrape();
    const names = [...text.matchAll(/^# TYPE (\w+)/gm)].map(([, name]) => name as string);
    const own = names.filter(name => !/^(process|nodejs)_/.test(name));
    expect(documented.sort()).toEqual(own.sort());
  });

  it('count cache hits', async () => {
    const hits = async (cache: string) =>
      (await samples('cache_lookups_total'))[`{cache="${cache}",result="hit"}`] as number;
    const before = [await hits('credentials'), await hits('collections')] as const;
    for (let n = 0; n < 3; n++) await app.request('GET', `${collection.data}/${newId()}`, collection.owner);
    expect(await hits('credentials')).toBeGreaterThanOrEqual(before[0] + 2);
    expect(await hits('collections')).toBeGreaterThanOrEqual(before[1] + 2);
  });

  it('show how jobs ended, and when each last succeeded', async () => {
    const runner = app.nest.get(JobRunner, { strict: false });
    const lastSuccess = async () => (await samples('job_last_success_timestamp_seconds'))['{job="swept"}'];
    await runner.run('swept', async () => ({}));
    const ended = await lastSuccess();
    expect(ended).toBeGreaterThan(0);
    await app.sql(`UPDATE job_runs SET started_at = started_at - interval '1 hour' WHERE name = 'swept'`);
    // The error of the job is only in the log.
    await runner.run('swept', () => Promise.reject(new Error('as the test wants it')));
    const runs = await samples('job_runs_total');
    expect(runs['{job="swept",outcome="done"}']).toBe(1);
    expect(runs['{job="swept",outcome="failed"}']).toBe(1);
    expect(await lastSuccess()).toBe(ended);
  });

  it('show the space of histories, and of the largest one by one', async () => {
    const [id] = await insert(app, collection, { text: 'x'.repeat(1_000) });
    for (let n = 0; n < 50; n++)
      await app.request('PATCH', `${collection.data}/${id}`, { ...collection.owner, body: { $set: { n } } });
    await app.nest.get(VersionPruning, { strict: false }).removeOld(new AbortController().signal);
    const { history_bytes } = (await app.request('GET', collection.path, collection.owner)).body;
    expect(history_bytes).toBeGreaterThan(50 * 1_000);
    expect(await samples('history_bytes_largest')).toMatchObject({
      [`{collection="${collection.id}"}`]: history_bytes,
    });
    expect((await samples('history_bytes'))['']).toBeGreaterThanOrEqual(history_bytes);
  });

  it('show the lag of webhooks', async () => {
    const webhookId = newId();
    await app.sql(
      `INSERT INTO webhooks (id, org_id, collection_id, url, events, status, sealed_secret, feed, after_xid, after_seq)
       VALUES ($1, $2, $3, 'https://hooks.example.com', '{}', 'active', '', $1, 0, 0)`,
      [webhookId, collection.orgId, collection.id],
    );
    // A delivery that is not yet due is not sent, and does not count as lag.
    const insert = (status: string, due: string) =>
      app.sql(
        `INSERT INTO webhook_deliveries (id, webhook_id, status, changes, payload, due_at)
         VALUES ($1, $2, $3, 0, '{}', clock_timestamp() + $4::interval)`,
        [newId(), webhookId, status, due],
      );
    await insert('pending', '1 hour');
    await insert('dead', '-1 hour');
    expect(await samples('webhook_messages')).toEqual({ '{status="pending"}': 1, '{status="dead"}': 1 });
    expect(await samples('webhook_lag_seconds')).toEqual({ '': 0 });
    await app.sql(`DELETE FROM webhooks WHERE id = $1`, [webhookId]);
  });
});

it('metrics of the process are served while the database is unreachable, without those of the database', async () => {
  const link = await linkTo(await freshDatabaseUrl());
  const other = await startOwnApp({ database: { url: link.url }, environment: { METRICS_TOKEN } });
  onTestFinished(() => other.close());
  await link.cut();
  while ((await samples('database_listening', other))[''] !== 0) await delay(20);
  expect(await samples('database_up', other)).toEqual({ '': 0 });
  await link.restore();
  while ((await samples('database_listening', other))[''] !== 1) await delay(50);
  expect(await samples('database_up', other)).toEqual({ '': 1 });
});

it('without a token, metrics are served on this machine, and not through a proxy on it', async () => {
  const other = await startOwnApp({ database: 'own' });
  onTestFinished(() => other.close());
  expect((await other.request('GET', '/metrics')).status).toBe(200);
  const headers = { 'x-forwarded-for': '203.0.113.7' };
  expect((await other.request('GET', '/metrics', { headers })).status).toBe(404);
});
