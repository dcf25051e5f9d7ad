import { spawn } from 'node:child_process';
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import pg from 'pg';
import { expect, it, onTestFinished } from 'vitest';
import { testPort } from '../../app/port.js';
import { startCluster } from '../support/cluster.js';
import { buildEarlierRelease, hasEarlierRelease } from '../support/earlier-release.js';
import { startInstance } from '../support/instance.js';

interface Answer {
  readonly status: number;
  // biome-ignore lint/suspicious/noExplicitAny: the fields depend on the answer
  readonly body: any;
}

/** Calls an instance with the key, or with `token`. */
type Call = (url: string, method: string, path: string, body?: unknown, token?: string) => Promise<Answer>;

function caller(key: string): Call {
  return async (url, method, path, body, token) => {
    const response = await fetch(url + path, {
      method,
      headers: {
        ...(token === undefined ? { 'x-platform-api-key': key } : { authorization: `Bearer ${token}` }),
        ...(body === undefined ? {} : { 'content-type': 'application/json' }),
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: response.status, body: await response.json().catch(() => undefined) };
  };
}

/** Reads and writes without a pause at the instances of `urls`, which may change. */
class Load {
  urls: string[] = [];
  readonly refused: unknown[] = [];
  inserted = 0;
  rounds = 0;
  private isOver = false;
  private running: Promise<unknown> = Promise.resolve();

  constructor(
    private readonly call: Call,
    private readonly token: string,
    private readonly data: string,
  ) {}

  start(urls: readonly string[]): void {
    this.urls = [...urls];
    this.running = Promise.all([this.repeat(0), this.repeat(1)]);
  }

  /** Waits for some more rounds: whatever has changed meanwhile, requests have met it. */
  async more(rounds = 3): Promise<void> {
    for (const until = this.rounds + rounds; this.rounds < until; ) await pause(20);
  }

  async end(): Promise<void> {
    this.isOver = true;
    await this.running;
  }

  private async repeat(offset: number): Promise<void> {
    for (let n = offset; !this.isOver; n++) {
      await this.round(this.urls[n % this.urls.length] as string, n);
      this.rounds++;
    }
  }

  private async round(url: string, n: number): Promise<void> {
    const ask = async (method: string, path: string, body?: unknown, token?: string): Promise<Answer> => {
      const answer = await this.call(url, method, path, body, token).catch(error => ({
        status: 0,
        body: String(error.cause ?? error),
      }));
      if (answer.status !== 200) this.refused.push([method, path, answer]);
      return answer;
    };
    const { body } = await ask('POST', this.data, { records: [{ n, note: 'one' }] });
    this.inserted += body?.inserted_count ?? 0;
    const bulk = await ask('POST', this.data, { records: Array.from({ length: 20 }, () => ({ n })) });
    this.inserted += bulk.body?.inserted_count ?? 0;
    const [id] = body?.ids ?? [];
    await ask('PATCH', `${this.data}/${id}`, { $set: { note: 'two' } });
    await ask('GET', `${this.data}/${id}`);
    await ask('POST', `${this.data}/query`, { filter: { n }, limit: 5 });
    await ask('GET', `${this.data}/count`, undefined, this.token);
    await ask('GET', '/v2/me', undefined, this.token);
    const made = await ask('POST', '/v1/collections', {
      name: `made_${n}_${randomBytes(4).toString('hex')}`,
    });
    await ask('POST', `/v1/collections/${made.body?.collection_id}/data`, { records: [{ n }] });
  }
}

/** Runs a command of this version. `printed` gets what it has printed so far. */
async function command(url: string, args: string[], printed = (_: string) => {}): Promise<string> {
  const child = spawn(process.execPath, ['dist/src/cli.js', ...args], {
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

// Without the history of the repository the release before cannot be built.
it.runIf(await hasEarlierRelease())(
  'the release before goes on beside the migrated database, and after the way back',
  async () => {
    const [cluster, earlier] = await Promise.all([startCluster(), buildEarlierRelease()]);
    const directory = await mkdtemp(join(tmpdir(), 'typed-collections-faults-'));
    onTestFinished(() => rm(directory, { recursive: true, force: true }));
    const ports = [await testPort(), await testPort()] as const;
    const settings = {
      PUBLIC_URL: `http://127.0.0.1:${ports[0]}`,
      SECRETS_MASTER_KEYS: `faults:${randomBytes(32).toString('base64')}`,
      BOOTSTRAP_FILE: join(directory, 'bootstrap.json'),
      RATE_LIMITS: 'off',
      DATABASE_URL: cluster.url,
    };
    const start = (which: 0 | 1) =>
      startInstance(
        [],
        { ...settings, PORT: String(ports[which]), MIGRATE_ON_START: String(which === 0) },
        [earlier, undefined][which],
      );

    let before = await start(0);
    const first = JSON.parse(await readFile(settings.BOOTSTRAP_FILE, 'utf8'));
    const call = caller(first.orgApiKey);
    const created = await call(before.url, 'POST', '/v1/collections', {
      name: 'books',
      settings: { max_records: 100_000 },
      properties: { n: { type: 'integer' }, note: { type: 'text' } },
    });
    expect(created, JSON.stringify(created)).toMatchObject({ status: 200 });
    const data = `/v1/collections/${created.body.collection_id}/data`;
    const load = new Load(call, first.accessToken, data);
    load.start([before.url]);
    await load.more();

    // As an export, which reads the list of collections first and holds its snapshot.
    const exporting = new pg.Client({ connectionString: cluster.url, application_name: 'an export' });
    await exporting.connect();
    await exporting.query(
      'BEGIN ISOLATION LEVEL REPEATABLE READ; SELECT FROM collections; SELECT FROM users',
    );
    let ended: Promise<void> | undefined;
    const output = await command(cluster.url, ['migrate'], text => {
      if (text.includes('an export')) ended ??= load.more(6).then(() => exporting.end());
    });
    expect(output).toContain('waits until these transactions end: pid');
    await ended;
    await load.more();

    const now = await start(1);
    load.urls = [before.url, now.url];
    await load.more(6);
    load.urls = [now.url];
    await load.more();
    expect(await before.stop()).toBe(0);
    await load.more();

    before = await start(0);
    load.urls = [before.url];
    await load.more();
    expect(await now.stop()).toBe(0);
    const list = await command(cluster.url, ['migrate:down', '--to', '1.0.0', '--yes']);
    expect(list).toMatch(/^takes back .*undid CountRecordsByQuota1795000023000/s);
    await load.more();
    await load.end();
    expect(load.refused.slice(0, 5)).toEqual([]);
    expect((await call(before.url, 'GET', `${data}/count`)).body).toEqual({ count: load.inserted });
    expect(await before.stop()).toBe(0);
  },
);
