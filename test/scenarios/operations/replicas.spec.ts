import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest';
import { Settings } from '../../../src/platform/config/settings.js';
import { PreparedNames } from '../../../src/platform/database/connections/prepared-names.js';
import { ReadPipeline } from '../../../src/platform/database/connections/read-pipeline.js';
import { POSITION, Replica, Replicas } from '../../../src/platform/database/connections/replicas.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { type Pair, startPair } from './standby.js';

/** A regular expression that takes minutes on 301 letters x. */
const SLOW = '^(x*)(x*)(x*)(x*)\\1\\2\\3\\4$';
const ACTIVE = `
  SELECT pid FROM pg_stat_activity
  WHERE state = 'active' AND application_name = 'typed-collections' AND query LIKE '%count(%'`;

let pair: Pair;
let app: TestApp;
let other: TestApp;
let books: TestCollection;

beforeAll(async () => {
  pair = await startPair();
  const database = { url: pair.primary.url };
  const environment = { DATABASE_REPLICA_URLS: pair.standby.url };
  app = await startOwnApp({ database, environment });
  other = await startOwnApp({ database, environment: { ...environment, PUBLIC_URL: app.url } });
  books = await newCollection(app, await newHome(app), { properties: { title: { type: 'text' } } });
}, 120_000);
afterEach(() => pair.onStandby('SELECT pg_wal_replay_resume()').catch(() => undefined));
afterAll(async () => {
  await app.close();
  await other.close();
  await pair.close();
});

const replicas = (of: TestApp) => of.nest.get(Replicas, { strict: false });
const counts = (of = app) => ({ ...replicas(of).counts });

async function insert(title: string, by = app): Promise<string> {
  const answer = await by.request('POST', books.data, { ...books.owner, body: { records: [{ title }] } });
  expect(answer.status).toBe(200);
  return answer.body.ids[0];
}

const get = (id: string, by = app) => by.request('GET', `${books.data}/${id}`, books.owner);

/** All ways to read, each of which must return the record. */
async function seenEverywhere(id: string, title: string, by = app): Promise<void> {
  const filter = JSON.stringify({ title });
  expect((await get(id, by)).body.record).toMatchObject({ title });
  const found = await by.request('POST', `${books.data}/query`, {
    ...books.owner,
    body: { filter: { title } },
  });
  expect(found.body.count).toBe(1);
  const query = new URLSearchParams({ filter });
  const counted = await by.request('GET', `${books.data}/count?${query}`, books.owner);
  expect(counted.body).toEqual({ count: 1 });
}

/** Creates a role that may only log in, and returns a function that puts it into a URL. */
async function roleWithoutRights(): Promise<(url: string) => string> {
  const client = new pg.Client({ connectionString: pair.primary.url });
  await client.connect();
  await client
    .query("CREATE ROLE without_rights LOGIN PASSWORD 'without_rights'")
    .finally(() => client.end());
  return url => {
    const changed = new URL(url);
    changed.username = changed.password = 'without_rights';
    return changed.href;
  };
}

/** Waits until the replica, which was excluded for a moment, is used again. */
async function replicaIsBack(): Promise<void> {
  while (replicas(app).usable + replicas(other).usable < 2) await delay(20);
}

describe('with a replica', () => {
  it('reads go to it, and always include earlier writes, on every instance', async () => {
    const first = await insert('first');
    for (const by of [app, other]) {
      for (; counts(by).replica === 0; await delay(20)) await seenEverywhere(first, 'first', by);
    }
    const before = [counts(), counts(other)];
    for (let n = 0; n < 20; n++) {
      const id = await insert(`book ${n}`);
      await seenEverywhere(id, `book ${n}`, n % 2 === 0 ? app : other);
    }
    const after = [counts(), counts(other)];
    const answered = after.map(({ replica }, at) => replica - (before[at]?.replica ?? 0));
    // A busy replica may have been too late occasionally.
    expect(answered[0] as number).toBeGreaterThan(0);
    expect(answered[1] as number).toBeGreaterThan(0);
  });

  it('one that lags behind is not used: the primary answers with current data', async () => {
    await replicaIsBack();
    await pair.onStandby('SELECT pg_wal_replay_pause()');
    const id = await insert('not yet there');
    const { replica, primary } = counts();
    await seenEverywhere(id, 'not yet there');
    await seenEverywhere(id, 'not yet there', other);
    expect(counts()).toEqual({ replica, primary: primary + 3 });
    // It is excluded only for a moment, so the check comes right after a read that may have ended that.
    await expect.poll(async () => (await get(id)) && replicas(app).usable).toBe(0);
    await pair.onStandby('SELECT pg_wal_replay_resume()');
    await replicaIsBack();
    while (counts().replica === replica) {
      await get(id);
      await delay(20);
    }
  });

  it('a collection that changes while the replica lags is read in its current state', async () => {
    const id = await insert('before the change');
    await replicaIsBack();
    await pair.onStandby('SELECT pg_wal_replay_pause()');
    const added = await app.request('PATCH', `${books.path}/schema`, {
      ...books.owner,
      body: { properties: { shelf: { type: 'integer' } } },
    });
    expect(added.status).toBe(200);
    expect((await get(id)).body.record).toMatchObject({ title: 'before the change', shelf: null });
    expect((await get(id, other)).body.record).toMatchObject({ shelf: null });
  });

  it('a client that disconnects stops its statement there', async () => {
    const id = await insert('x'.repeat(301));
    for (const { replica } = counts(); counts().replica === replica; await delay(20)) await get(id);
    const standby = new pg.Client({ connectionString: pair.standby.url });
    await standby.connect();
    const active = async () => (await standby.query(ACTIVE)).rows.length;
    const gone = new AbortController();
    const query = new URLSearchParams({ filter: JSON.stringify({ title: { $regex: SLOW } }) });
    fetch(`http://${app.settings.HOST}:${app.settings.PORT}${books.data}/count?${query}`, {
      signal: gone.signal,
      headers: { authorization: `Bearer ${books.owner.token}` },
    }).catch(() => undefined);
    try {
      await expect.poll(active, { interval: 20 }).toBe(1);
      await delay(200);
      expect(await active()).toBe(1);
      gone.abort();
      await expect.poll(active, { timeout: 2_000, interval: 50 }).toBe(0);
      expect(replicas(app).usable).toBe(1);
    } finally {
      await standby.end();
    }
  });

  it('refusals are the same as without one', async () => {
    await replicaIsBack();
    const body = { filter: { title: { $regex: '(' } } };
    const refused = await app.request('POST', `${books.data}/query`, { ...books.owner, body });
    expect(refused.status).toBe(400);
    expect((await get('00000000-0000-7000-8000-000000000000')).status).toBe(404);
  });

  it('one that becomes unreachable fails no request, and is used again when it returns', async () => {
    const id = await insert('read throughout');
    await replicaIsBack();
    const reads = Array.from({ length: 40 }, async (_, n) => {
      await delay(n * 10);
      return (await get(id, n % 2 === 0 ? app : other)).status;
    });
    await pair.standby.stop();
    expect(new Set(await Promise.all(reads))).toEqual(new Set([200]));
    await seenEverywhere(id, 'read throughout');
    await pair.restartStandby();
    for (const { replica } = counts(); counts().replica === replica; await delay(20)) await get(id);
    await seenEverywhere(id, 'read throughout');
  });

  it('one on another timeline is not used, however far its log has progressed', async () => {
    const nobody = await roleWithoutRights();
    const settings = app.nest.get(Settings, { strict: false });
    const url = nobody(pair.primary.url);
    const addresses = { DATABASE_URL: url, DATABASE_LISTEN_URL: url };
    const primary = new ReadPipeline({ ...settings, ...addresses }, new PreparedNames());
    const replica = new Replica(nobody(pair.standby.url), settings, new PreparedNames());
    try {
      const [row] = await primary.run({ text: POSITION, values: [] });
      const [lsn, timeline] = row as [number, number];
      await expect.poll(() => replica.reaches({ timeline, lsn })).toBe(true);
      expect(await replica.reaches({ timeline, lsn: 0 })).toBe(true);
      expect(await replica.reaches({ timeline: timeline + 1, lsn: 0 })).toBe(false);
      expect(await replica.reaches({ timeline: timeline - 1, lsn: 0 })).toBe(false);
    } finally {
      await replica.close();
      await primary.onApplicationShutdown();
    }
  });
});
