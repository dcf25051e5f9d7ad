import { execFile } from 'node:child_process';
import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { promisify } from 'node:util';
import pg from 'pg';
import { describe, expect, it } from 'vitest';
import { newName } from '../../harness/collection.js';
import { freshDatabaseUrl } from '../../harness/database.js';
import { TIMES } from '../../harness/dice.js';
import { schemaOf, tableOf } from '../../harness/tables.js';
import { killHard, start } from '../embedded/instances.js';
import { type Program, postmaster, scratchDirectory, startService } from '../start/service.js';

const BATCH = 5_000;
const SENDERS = 3;
/** How many batches are answered before the service is killed. Only `npm run test:long` gets to all of them. */
const PATIENCE = [0, 2, 5, 1, 3];

/** Batches sent, by number. Those in `answered` were acknowledged. */
interface Sent {
  readonly answered: Set<number>;
  count: number;
}

/** Starts the service with first credentials of its own. */
async function startWith(settings: Record<string, string>): Promise<[Program, key: string]> {
  const service = await startService({ ...settings, RATE_LIMITS: 'off' });
  return [service, JSON.parse(await readFile(settings.BOOTSTRAP_FILE as string, 'utf8')).orgApiKey];
}

async function post({ url }: Program, key: string, path: string, body: object): Promise<Response> {
  const headers = { 'x-platform-api-key': key, 'content-type': 'application/json' };
  return fetch(`${url}${path}`, { method: 'POST', headers, body: JSON.stringify(body) });
}

async function newCollection(service: Program, key: string): Promise<string> {
  const answer = await post(service, key, '/v1/collections', {
    name: newName(),
    properties: { batch: { type: 'integer' }, label: { type: 'text' } },
    uniques: [{ properties: ['label'] }],
    settings: { max_records: 10_000_000 },
  });
  return ((await answer.json()) as { collection_id: string }).collection_id;
}

/** Sends batch after batch until the service has stopped. Resolves when all connections are broken. */
async function sendUntilGone(service: Program, key: string, id: string, sent: Sent): Promise<void> {
  const send = async () => {
    for (;;) {
      const batch = ++sent.count;
      const records = Array.from({ length: BATCH }, (_, n) => ({ batch, label: `${batch}.${n}`, shelf: n }));
      const { status } = await post(service, key, `/v1/collections/${id}/data/bulk`, { records });
      if (status === 201) sent.answered.add(batch);
    }
  };
  // The connection broke in the middle. The test finds out whether the batch was stored.
  await Promise.allSettled(Array.from({ length: SENDERS }, send));
}

/** The batches in the database with their sizes, and the counts in their audit events. */
async function found(url: string, id: string): Promise<{ batches: Map<number, number>; counts: number[] }> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows: owners } = await client.query('SELECT org_id FROM collections WHERE id = $1', [id]);
    const orgId: string = owners[0].org_id;
    const { rows } = await client.query(
      `SELECT c1::int AS batch, count(*)::int AS n FROM ${tableOf(orgId, id)} GROUP BY 1`,
    );
    const events = await client.query(
      `SELECT count FROM ${schemaOf(orgId)}.audit_events WHERE type = 'collections.records.inserted' AND target->>'id' = $1`,
      [id],
    );
    return {
      batches: new Map(rows.map(row => [row.batch, row.n])),
      counts: events.rows.map(row => row.count),
    };
  } finally {
    await client.end();
  }
}

async function expectWholeBatches(url: string, id: string, { answered }: Sent): Promise<void> {
  const { batches, counts } = await found(url, id);
  const whole = Array.from(batches, () => BATCH);
  expect([...batches.values()]).toEqual(whole);
  expect(counts).toEqual(whole);
  expect([...answered].filter(batch => !batches.has(batch))).toEqual([]);
}

/** Sends SIGKILL to a process and to all its descendants. */
async function killWithChildren(pid: number): Promise<void> {
  const { stdout } = await promisify(execFile)('ps', ['-A', '-o', 'pid=,ppid=']);
  const processes = stdout
    .trim()
    .split('\n')
    .map(line => line.trim().split(/\s+/).map(Number));
  const children = processes.filter(([, parent]) => parent === pid).map(([child]) => child as number);
  for (const each of [pid, ...children]) killHard(each);
}

describe('kill -9 during bulk inserts leaves each batch complete or absent, and the audit log agrees', {
  timeout: 300_000,
}, () => {
  it('when the service is killed repeatedly at different moments', async () => {
    const DATABASE_URL = await freshDatabaseUrl();
    const BOOTSTRAP_FILE = join(await scratchDirectory(), 'bootstrap.json');
    const settings = { DATABASE_URL, BOOTSTRAP_FILE };
    let [service, key] = await startWith(settings);
    const id = await newCollection(service, key);
    const sent: Sent = { answered: new Set(), count: 0 };
    const rounds = 3 * TIMES;
    for (let round = 0; round < rounds; round++) {
      const patience = PATIENCE[round % PATIENCE.length] as number;
      const enough = sent.answered.size + patience;
      const sending = sendUntilGone(service, key, id, sent);
      while (sent.answered.size < enough) await delay(5);
      await delay(patience * 23);
      service.child.kill('SIGKILL');
      await Promise.all([sending, service.ended]);
      [service, key] = await startWith(settings);
    }
    await expectWholeBatches(DATABASE_URL, id, sent);
    // Each round interrupted requests in progress.
    expect(sent.count - sent.answered.size).toBe(rounds * SENDERS);
    expect((await post(service, key, `/v1/collections/${id}/data`, { records: {} })).status).toBe(200);
  });

  it('when the service and its PostgreSQL are killed with all their processes', async () => {
    const directory = await scratchDirectory();
    const settings = { DATA_DIR: join(directory, 'data'), BOOTSTRAP_FILE: join(directory, 'bootstrap.json') };
    const sent: Sent = { answered: new Set(), count: 0 };
    const [first, key] = await startWith(settings);
    const id = await newCollection(first, key);
    for (const service of [first, undefined]) {
      const running = service ?? (await startWith(settings))[0];
      const enough = sent.answered.size + 3;
      const sending = sendUntilGone(running, key, id, sent);
      while (sent.answered.size < enough) await delay(5);
      await delay(31);
      running.child.kill('SIGKILL');
      await killWithChildren((await postmaster(settings.DATA_DIR)) as number);
      await Promise.all([sending, running.ended]);
    }
    const { url } = await start(settings.DATA_DIR);
    await expectWholeBatches(url, id, sent);
  });
});
