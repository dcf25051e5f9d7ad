import { setTimeout as delay } from 'node:timers/promises';
import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Admission } from '../../../src/platform/database/admission/admission.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  insert,
  newHome,
  newName,
  newTypedCollection,
  type TestCollection,
} from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';

/** How long the table is locked: longer than a statement waits for a lock, shorter than a request may take. */
const LOCKED_MS = 6_000;
/** Pause between two requests to the locked collection: 20 requests per second. */
const EVERY_MS = 50;

const METRICS_TOKEN = 'read-by-the-monitoring-system-only';

let app: TestApp;
let neighbour: TestCollection;
let busy: TestCollection;
let other: TestCollection;

beforeAll(async () => {
  app = await startOwnApp({ database: 'own', environment: { METRICS_TOKEN } });
  neighbour = await newTypedCollection(app, await newHome(app));
  const home = await newHome(app);
  [busy, other] = [await newTypedCollection(app, home), await newTypedCollection(app, home)];
});
afterAll(() => app.close());

interface Seen {
  readonly statuses: Set<number>;
  readonly p95: number;
}

/** The answers that a client gets which sends one request after the other until `ended`. */
async function use({ data, owner }: TestCollection, ended: () => boolean): Promise<Seen> {
  const statuses = new Set<number>();
  const times: number[] = [];
  const ask = async (method: string, path: string, body?: object) => {
    const began = performance.now();
    const answer = await app.request(method, `${data}${path}`, { ...owner, body });
    times.push(performance.now() - began);
    statuses.add(answer.status);
    return answer;
  };
  while (!ended()) {
    const { ids } = (await ask('POST', '', { records: EMMA })).body;
    await ask('GET', `/${ids?.[0]}`);
    await ask('POST', '/query', { filter: { year: { $gt: 1 } }, limit: 5 });
    await ask('PATCH', `/${ids?.[0]}`, { year: 1816 });
    await ask('POST', '/upsert', { data: { title: 'Persuasion', year: 1817 }, match_fields: ['title'] });
    await ask('DELETE', `/${ids?.[0]}`);
  }
  times.sort((a, b) => a - b);
  return { statuses, p95: times[Math.floor(times.length * 0.95)] as number };
}

/** Statuses of the readiness check, requested repeatedly until `ended`. */
async function readiness(ended: () => boolean): Promise<Set<number>> {
  const statuses = new Set<number>();
  while (!ended()) {
    statuses.add((await app.request('GET', '/health/ready')).status);
    await delay(100);
  }
  return statuses;
}

/** A metric of the queue of record requests. */
async function metric(name: string): Promise<number> {
  const { text } = await app.request('GET', '/metrics', { token: METRICS_TOKEN });
  return Number(new RegExp(`^${name}\\{queue="records"\\} (.*)$`, 'm').exec(text)?.[1]);
}

/** Runs `work` while no other connection can use the table. */
async function locked<T>({ table }: TestCollection, work: () => Promise<T>): Promise<T> {
  const client = new pg.Client({ connectionString: app.settings.DATABASE_URL });
  await client.connect();
  try {
    await client.query('BEGIN');
    await client.query(`LOCK TABLE ${table} IN ACCESS EXCLUSIVE MODE`);
    return await work();
  } finally {
    await client.end();
  }
}

const passed = (ms: number) => {
  const end = performance.now() + ms;
  return () => performance.now() >= end;
};

it('an index build waits for a place for a while, then is refused and leaves nothing behind', async () => {
  const { builds } = app.nest.get(Admission);
  const places = await Promise.all(['a', 'a', 'b'].map((org, n) => builds.enter(org, String(n))));
  const body = { indexes: [{ properties: ['year'] }] };
  const path = `${neighbour.path}/indexes`;
  const refused = await app.request('POST', path, { ...neighbour.owner, body });
  expect([refused.status, refused.body.error]).toEqual([503, 'Unavailable']);
  expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  for (const place of places) builds.leave(place);
  const done = await app.request('POST', path, { ...neighbour.owner, body });
  expect([done.status, done.body.applied]).toEqual([200, true]);
});

it('requests of one caller leave room for those of another in the same collection', async () => {
  const home = await newHome(app);
  const { path, data, owner } = await newTypedCollection(app, home);
  const { apiKey } = await newKey(app, home.org);
  const { records } = app.nest.get(Admission);
  const id = path.split('/').at(-1) as string;
  const places = await Promise.all(
    Array.from({ length: records.limits.perCaller ?? 0 }, () =>
      records.enter(home.org.id, id, undefined, undefined, home.org.owner.userId),
    ),
  );
  const query = (caller: object) => app.request('POST', `${data}/query`, { ...caller, body: {} });
  const own = [query(owner), app.request('POST', `${data}/bulk`, { ...owner, body: { records: [EMMA] } })];
  await expect.poll(() => records.waiting).toBe(2);
  expect((await query({ headers: { 'x-platform-api-key': apiKey } })).status).toBe(200);
  expect(records.waiting).toBe(2);
  for (const place of places) records.leave(place);
  expect((await Promise.all(own)).map(({ status }) => status)).toEqual([200, 201]);
});

describe('while the row of an organization is locked', () => {
  it('changes to it wait, and other requests neither fail nor wait', async () => {
    const home = await newHome(app);
    const collection = await newTypedCollection(app, home);
    const client = new pg.Client({ connectionString: app.settings.DATABASE_URL });
    await client.connect();
    const sent: Promise<number>[] = [];
    try {
      await client.query('BEGIN');
      await client.query('SELECT FROM orgs WHERE id = $1 FOR UPDATE', [home.org.id]);
      const ended = passed(3_000);
      const watching = Promise.all([use(neighbour, ended), use(collection, ended), readiness(ended)]);
      for (let each = 0; !ended(); each++) {
        const body = { name: `${newName()}-${each}` };
        sent.push(
          app.request('POST', '/v1/collections', { ...home.owner, body }).then(({ status }) => status),
        );
        await delay(EVERY_MS);
      }
      const [seen, seenByOwn, ready] = await watching;
      expect(sent.length).toBeGreaterThan(20);
      expect([[...seen.statuses], [...seenByOwn.statuses], [...ready]]).toEqual([[200], [200], [200]]);
      // The pool keeps connections for changes of other organizations.
      const body = { name: newName() };
      expect((await app.request('POST', '/v1/collections', { ...neighbour.owner, body })).status).toBe(200);
    } finally {
      await client.end();
    }
    expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
  });
});

describe('while the table of a collection is locked', () => {
  it('requests of its organization wait, and other requests neither fail nor wait', async () => {
    const ids = await insert(app, busy, ...Array.from({ length: 60 }, () => EMMA));
    // Measured with the same load as while the table is locked.
    const calmly = passed(2_000);
    const [quiet] = await Promise.all([use(neighbour, calmly), use(other, calmly), readiness(calmly)]);
    const sent: Promise<number>[] = [];
    const send = (method: string, path: string, body?: object) =>
      sent.push(
        app.request(method, `${busy.data}${path}`, { ...busy.owner, body }).then(({ status }) => status),
      );
    const [seen, seenByOther, ready, waiting, closed] = await locked(busy, async () => {
      const ended = passed(LOCKED_MS);
      const watching = Promise.all([use(neighbour, ended), use(other, ended), readiness(ended)]);
      for (let each = 0; !ended(); each++) {
        if (each < 60) {
          const path = `/${ids[each]}`;
          const kinds = [
            () => send('GET', path),
            () => send('DELETE', path),
            () => send('PATCH', path, { year: 1 }),
            () => send('PATCH', '', { filter: { year: 2 }, update: { year: 3 } }),
            () => send('POST', '/query', { filter: { year: 1815 } }),
            () => send('POST', '/upsert', { data: { title: `t${each}` }, match_fields: ['title'] }),
          ];
          kinds[each % kinds.length]?.();
        }
        send('POST', '', { records: EMMA });
        await delay(EVERY_MS);
      }
      return [
        ...(await watching),
        await metric('admission_waiting'),
        await metric('admission_closed_keys'),
      ] as const;
    });
    expect([waiting > 0, closed]).toEqual([true, 1]);
    expect(sent.length).toBeGreaterThan(80);
    expect([...seen.statuses], 'another organization').toEqual([200]);
    expect([...seenByOther.statuses], 'another collection of the organization').toEqual([200]);
    expect([...ready]).toEqual([200]);
    expect(new Set(await Promise.all(sent))).toEqual(new Set([200]));
    expect(await metric('admission_waiting')).toBe(0);
    expect(await metric('admission_closed_keys')).toBe(0);
    expect(await metric('admission_waits_total')).toBeGreaterThan(10);
    expect(await metric('admission_wait_seconds_total')).toBeGreaterThan(1);
    expect(await metric('admission_refused_total')).toBe(0);
    // A margin for a busy machine: a request that waited for the lock or a connection would take seconds.
    const calm = await use(neighbour, passed(1_000));
    expect(seen.p95).toBeLessThan(4 * Math.max(quiet.p95, calm.p95) + 300);
  });
});
