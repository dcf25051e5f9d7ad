import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { testPort } from '../../harness/port.js';
import { startCluster } from '../support/cluster.js';
import { buildEarlierRelease, earlierRelease } from '../support/earlier-release.js';
import { startInstance } from '../support/instance.js';
import { APPLICATION, Callers } from '../support/upgrade/callers.js';
import { Calls, Loops } from '../support/upgrade/calls.js';
import { ChangePoller, ChangeStream, PageReader, WebhookReceiver } from '../support/upgrade/readers.js';
import { RecordWriter } from '../support/upgrade/records.js';

/** Runs a command of this version. `printed` gets what it has printed so far. */
async function command(url: string, args: string[], printed = (_: string) => {}): Promise<string> {
  const child = spawn(process.execPath, ['dist/service/cli.js', ...args], {
    env: { PATH: process.env.PATH, HOME: process.env.HOME, DATABASE_URL: url },
  });
  let output = '';
  for (const stream of [child.stdout, child.stderr])
    stream.on('data', chunk => {
      output += chunk;
      printed(output);
    });
  await once(child, 'close');
  expect(child.exitCode, output).toBe(0);
  return output;
}

/** Migrates while an export is open, which has read tables that migrations change. The export ends later. */
async function migrateBesideExport(url: string, more: () => Promise<void>): Promise<void> {
  const exporting = new pg.Client({ connectionString: url, application_name: 'an export' });
  await exporting.connect();
  await exporting.query('BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM collections; SELECT FROM users');
  let ended: Promise<void> | undefined;
  const output = await command(url, ['migrate'], text => {
    if (text.includes('an export')) ended ??= more().then(() => exporting.end());
  });
  expect(output).toContain('waits until these transactions end: pid');
  await ended;
}

async function temporaryDirectory(): Promise<string> {
  const directory = await mkdtemp(join(tmpdir(), 'typed-collections-faults-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  return directory;
}

const release = await earlierRelease();

// Without the history of the repository the release before cannot be built.
it.runIf(release !== undefined)(
  'the release before goes on beside the migrated database and after the way back, and so do its clients',
  async () => {
    const [cluster, earlier] = await Promise.all([startCluster(), buildEarlierRelease(release as string)]);
    const directory = await temporaryDirectory();
    const webhook = new WebhookReceiver();
    await webhook.listen();
    const ports = [await testPort(), await testPort()] as const;
    const settings = {
      PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
      SECRETS_MASTER_KEYS: `faults:${randomBytes(32).toString('base64')}`,
      BOOTSTRAP_FILE: join(directory, 'bootstrap.json'),
      OIDC_CLIENTS_FILE: join(directory, 'clients.json'),
      OUTBOUND_ALLOW_INSECURE_HOSTS: webhook.host,
      RATE_LIMITS: 'off',
      DATABASE_URL: cluster.url,
    };
    await writeFile(settings.OIDC_CLIENTS_FILE, JSON.stringify([APPLICATION]), { mode: 0o600 });
    const start = (which: 0 | 1) =>
      startInstance(
        [],
        { ...settings, PORT: String(ports[which]), MIGRATE_ON_START: String(which === 0) },
        [earlier, undefined][which],
      );

    let before = await start(0);
    const first = JSON.parse(await readFile(settings.BOOTSTRAP_FILE, 'utf8'));
    const calls = new Calls(first.orgApiKey);
    calls.urls = [before.url];
    const newCollection = async (name: string) => {
      const body = {
        name,
        settings: { max_records: 100_000 },
        properties: { n: { type: 'integer' }, note: { type: 'text' }, code: { type: 'text' } },
        uniques: [{ properties: ['code'] }],
      };
      return `/v1/collections/${(await calls.ask('POST', '/v1/collections', { body })).body.collection_id}`;
    };
    const [books, shelf] = [await newCollection('books'), await newCollection('shelf')];
    const hook = { url: `http://${webhook.host}/`, events: ['inserted', 'deleted'] };
    await calls.ask('POST', `${books}/webhooks`, { body: hook });
    const writer = new RecordWriter(calls, `${books}/data`);
    const callers = await Callers.signedIn(calls, books, first);
    const pages = new PageReader(calls, shelf, first.orgSlug);
    const poller = new ChangePoller(calls, books);
    const stream = new ChangeStream(calls, books, first.orgApiKey);
    await pages.fill();
    await poller.begin();
    await stream.begin();
    await callers.mintMore();
    expect(calls.wrong).toEqual([]);
    const loops = new Loops([
      n => writer.round(n),
      n => writer.round(n),
      () => callers.round(),
      () => pages.round().then(() => poller.round()),
    ]);
    await loops.more();

    await migrateBesideExport(cluster.url, () => loops.more());
    await loops.more();

    const now = await start(1);
    calls.urls = [before.url, now.url];
    await callers.mintMore();
    await loops.more();
    calls.urls = [now.url];
    await callers.mintMore();
    await loops.more();
    expect(await before.stop()).toBe(0);
    await loops.more();

    before = await start(0);
    calls.urls = [before.url];
    await loops.more();
    expect(await now.stop()).toBe(0);
    const list = await command(cluster.url, ['migrate:down', '--to', '1.0.0', '--yes']);
    expect(list).toMatch(/^takes back .*undid CountRecordsByQuota1795000023000/s);
    await callers.mintMore();
    await loops.more();
    await loops.end();

    expect(calls.wrong).toEqual([]);
    expect((await calls.ask('GET', `${books}/data/count`)).body).toEqual({ count: writer.count });
    for (const { received } of [poller, stream, webhook]) {
      await expect
        .poll(() => poller.round().then(() => ['inserted', 'deleted'].map(type => received.count(type))), {
          timeout: 20_000,
        })
        .toEqual([writer.count + writer.deleted.size, writer.deleted.size]);
      expect(received.missing('inserted', writer.inserted)).toEqual([]);
      expect(received.missing('deleted', writer.deleted)).toEqual([]);
      expect(received.again).toEqual([]);
    }
    expect(await before.stop()).toBe(0);
  },
);
