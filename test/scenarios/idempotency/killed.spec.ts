import { readFile } from 'node:fs/promises';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { describe, expect, it, onTestFinished } from 'vitest';
import { newName } from '../../harness/collection.js';
import { freshDatabaseUrl } from '../../harness/database.js';
import { TIMES } from '../../harness/dice.js';
import { schemaOf, tableOf } from '../../harness/tables.js';
import { type Program, scratchDirectory, startService } from '../start/service.js';
import { newRetryKey } from './retry.js';

/** How long after the first answer the service is killed; at 0 before it. Only `npm run test:long` gets to all of them. */
const MOMENTS = [0, 2, 5, 1, 3, 4];

/** A request, its answer, and the answer to its retry. */
interface Sent {
  readonly key: string;
  readonly method: string;
  readonly path: string;
  readonly body: object;
  answer?: string;
}

/** The service and its database, with one collection. */
interface Killed {
  service: Program;
  readonly settings: Record<string, string>;
  readonly apiKey: string;
  readonly collection: string;
  readonly database: pg.Client;
  /** The organization's schema and the collection's table. */
  readonly schema: string;
  readonly table: string;
}

async function send(
  killed: Killed,
  { key, method, path, body }: Sent,
): Promise<[number, string, string | null]> {
  const response = await fetch(`${killed.service.url}${path}`, {
    method,
    headers: {
      'x-platform-api-key': killed.apiKey,
      'content-type': 'application/json',
      'idempotency-key': key,
    },
    body: JSON.stringify(body),
  });
  return [response.status, await response.text(), response.headers.get('idempotency-replayed')];
}

async function begin(): Promise<Killed> {
  const DATABASE_URL = await freshDatabaseUrl();
  const BOOTSTRAP_FILE = join(await scratchDirectory(), 'bootstrap.json');
  const settings = { DATABASE_URL, BOOTSTRAP_FILE, RATE_LIMITS: 'off' };
  const service = await startService(settings);
  const apiKey = JSON.parse(await readFile(BOOTSTRAP_FILE, 'utf8')).orgApiKey;
  const database = new pg.Client({ connectionString: DATABASE_URL });
  await database.connect();
  onTestFinished(() => database.end());
  const killed = { service, settings, apiKey, collection: '', database, schema: '', table: '' };
  const properties = { n: { type: 'integer' }, label: { type: 'text' } };
  const body = { name: newName(), properties };
  const path = '/v1/collections';
  const [, text] = await send(killed, { key: newRetryKey(), method: 'POST', path, body });
  const collection: string = JSON.parse(text).collection_id;
  const { rows } = await database.query('SELECT org_id FROM collections');
  const orgId: string = rows[0].org_id;
  return { ...killed, collection, schema: schemaOf(orgId), table: tableOf(orgId, collection) };
}

/** Sends SIGKILL, and starts a new service on the same database. */
async function kill(killed: Killed): Promise<void> {
  killed.service.child.kill('SIGKILL');
  await killed.service.ended;
}

async function restart(killed: Killed): Promise<void> {
  killed.service = await startService(killed.settings);
}

async function one(killed: Killed, text: string): Promise<number> {
  return (await killed.database.query(text)).rows[0].n;
}

const inserting = ({ collection }: Killed, label: string): Sent => ({
  key: newRetryKey(),
  method: 'POST',
  path: `/v1/collections/${collection}/data`,
  body: { records: { label } },
});

describe('a request whose service is killed', { timeout: 300_000 }, () => {
  /** Delays the end of the write: it has begun, and waits for a lock on the organization's log. */
  async function stuck(killed: Killed): Promise<{ sent: Sent; ended: Promise<unknown>; backend: number }> {
    const sent = inserting(killed, 'stuck');
    // The instance caches the collection and leases quota before its next write is delayed.
    await send(killed, inserting(killed, 'first'));
    await killed.database.query(`BEGIN; LOCK TABLE ${killed.schema}.audit_events IN EXCLUSIVE MODE`);
    const ended = send(killed, sent).catch(() => undefined);
    for (;;) {
      const { rows } = await killed.database.query(
        `SELECT pid FROM pg_locks WHERE NOT granted AND relation = '${killed.schema}.audit_events'::regclass`,
      );
      if (rows.length > 0) return { sent, ended, backend: rows[0].pid };
      await delay(5);
    }
  }

  /** Records and events of the delayed request. */
  const traces = async (killed: Killed) => [
    await one(killed, `SELECT count(*)::int AS n FROM ${killed.table} WHERE c2 = 'stuck'`),
    await one(
      killed,
      `SELECT count(*)::int - 1 AS n FROM ${killed.schema}.audit_events WHERE type = 'collections.records.inserted'`,
    ),
  ];

  it('after the database has committed it: the retry gets the answer that was never delivered', async () => {
    const killed = await begin();
    const { sent, ended } = await stuck(killed);
    await kill(killed);
    await ended;
    await killed.database.query('COMMIT');
    await expect.poll(() => traces(killed)).toEqual([1, 1]);
    await restart(killed);
    const [status, text, replayed] = await send(killed, sent);
    expect([status, replayed]).toEqual([200, 'true']);
    const { rows } = await killed.database.query(`SELECT _id FROM ${killed.table} WHERE c2 = 'stuck'`);
    expect(JSON.parse(text)).toEqual({ inserted_count: 1, ids: rows.map(({ _id }) => _id) });
    expect(await traces(killed)).toEqual([1, 1]);
  });

  it('before the database has committed it: it is rolled back, and the retry is executed as the first', async () => {
    const killed = await begin();
    const { sent, ended, backend } = await stuck(killed);
    await kill(killed);
    await ended;
    await killed.database.query(`SELECT pg_terminate_backend(${backend}, 5000); COMMIT`);
    expect(await traces(killed)).toEqual([0, 0]);
    await restart(killed);
    const first = await send(killed, sent);
    expect([first[0], first[2]]).toEqual([200, null]);
    expect(await send(killed, sent)).toEqual([200, first[1], 'true']);
    expect(await traces(killed)).toEqual([1, 1]);
  });

  it('at a random moment, among others: every request has been executed once when its retry is answered', async () => {
    const killed = await begin();
    const path = `/v1/collections/${killed.collection}/data`;
    const [, text] = await send(killed, inserting(killed, 'counter'));
    const [counter] = JSON.parse(text).ids;
    const burst = (round: number): Sent[] =>
      Array.from({ length: 8 }, (_, n) => `${round}.${n}`).flatMap((label): Sent[] => [
        inserting(killed, label),
        { key: newRetryKey(), method: 'PATCH', path: `${path}/${counter}`, body: { $inc: { n: 1 } } },
        { key: newRetryKey(), method: 'PATCH', path: `${path}/${counter}`, body: { $push: { list: label } } },
        {
          key: newRetryKey(),
          method: 'POST',
          path: `${path}/upsert`,
          body: { data: { isbn: label }, match_fields: ['isbn'] },
        },
      ]);
    const all: Sent[] = [];
    for (let round = 0; round < 3 * TIMES; round++) {
      const moment = MOMENTS[round % MOMENTS.length] as number;
      const sent = burst(round);
      all.push(...sent);
      const sending = sent.map(async each => {
        const [status, answer] = await send(killed, each);
        if (status === 200) each.answer = answer;
      });
      const settled = Promise.allSettled(sending);
      while (moment > 0 && !sent.some(({ answer }) => answer)) await delay(1);
      await delay(moment * 4);
      await kill(killed);
      await settled;
      await restart(killed);
      for (const each of sent) {
        const [status, answer] = await send(killed, each);
        expect([status, answer]).toEqual([200, each.answer ?? answer]);
      }
    }
    // Some requests must have got no answer and some an answer; otherwise the test tested nothing.
    const unanswered = all.filter(({ answer }) => answer === undefined).length;
    expect([unanswered > 0, unanswered < all.length]).toEqual([true, true]);
    const each = all.length / 4;
    const [row] = (
      await killed.database.query(
        `SELECT c1::int AS n, jsonb_array_length(x->'list') AS pushed FROM ${killed.table} WHERE c2 = 'counter'`,
      )
    ).rows;
    expect(row).toEqual({ n: each, pushed: each });
    expect(await one(killed, `SELECT count(*)::int AS n FROM ${killed.table} WHERE c2 LIKE '%.%'`)).toBe(
      each,
    );
    expect(await one(killed, `SELECT count(*)::int AS n FROM ${killed.table} WHERE x ? 'isbn'`)).toBe(each);
    expect(
      await one(
        killed,
        `SELECT count(*)::int AS n FROM ${killed.schema}.audit_events WHERE type LIKE 'collections.records.%'`,
      ),
    ).toBe(all.length + 1);
  });
});
