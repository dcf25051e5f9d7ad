import pg from 'pg';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp } from '../../harness/app.js';
import {
  type Home,
  insert,
  newCollection,
  newHome,
  newName,
  outcome,
  read,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { schemaOf } from '../../harness/tables.js';
import { newKey, newSlug } from '../orgs/org.js';
import { eventTypes, newRetryKey, type Sent, sendWith, storedResponses } from './retry.js';

const AT_ONCE = 20;

let first: TestApp;
let second: TestApp;
let home: Home;
let caller: string;
beforeAll(async () => {
  first = await startApp();
  second = await startOwnApp({ database: { url: first.settings.DATABASE_URL as string } });
  const { org } = await newHome(first);
  const { id, apiKey } = await newKey(first, org);
  // The key of an organization, which is valid on every instance.
  home = { org, owner: { key: apiKey } };
  caller = `key:${id}`;
});
afterAll(() => second.close());

const make = () =>
  newCollection(first, home, {
    properties: { n: { type: 'integer' } },
    uniques: [{ properties: ['n'] }],
  });

type Request = Omit<Sent, 'caller'>;

/** Sends the same request many times at once, half of them to each instance. Every answer is the same, or 409. */
async function sendTogether(caller: Sent['caller'], request: Request) {
  const key = newRetryKey();
  const answers = await Promise.all(
    Array.from({ length: AT_ONCE }, (_, n) =>
      sendWith(n % 2 === 0 ? first : second, key, { ...request, caller }),
    ),
  );
  const done = answers.filter(({ status }) => status !== 409);
  const busy = answers.filter(({ status }) => status === 409);
  expect(busy.map(answer => outcome(answer)[1])).toEqual(busy.map(() => 'Conflict'));
  expect(new Set(done.map(({ status, text }) => `${status} ${text}`)).size).toBe(1);
  expect(done.filter(({ headers }) => !headers.has('idempotency-replayed'))).toHaveLength(1);
  return done[0];
}

describe('twenty equal concurrent requests on two instances are executed once', () => {
  it.each<[string, (collection: TestCollection) => Promise<Request>, number]>([
    ['insert', async ({ data }) => ({ method: 'POST', path: data, body: { records: { n: 7 } } }), 1],
    [
      'insert without a unique',
      async ({ data }) => ({ method: 'POST', path: data, body: { records: {} } }),
      1,
    ],
    [
      'bulk insert',
      async ({ data }) => ({
        method: 'POST',
        path: `${data}/bulk`,
        body: { records: Array.from({ length: 500 }, (_, at) => ({ at })) },
      }),
      500,
    ],
    [
      'bulk upsert',
      async ({ data }) => ({
        method: 'POST',
        path: `${data}/bulk`,
        body: { records: [{ n: 1 }, { n: 2 }], upsert_key: 'n' },
      }),
      2,
    ],
    [
      'upsert',
      async ({ data }) => ({
        method: 'POST',
        path: `${data}/upsert`,
        body: { data: { n: 1 }, match_fields: ['n'] },
      }),
      1,
    ],
    [
      'upsert without a unique',
      async ({ data }) => ({
        method: 'POST',
        path: `${data}/upsert`,
        body: { data: { isbn: 'a' }, match_fields: ['isbn'] },
      }),
      1,
    ],
  ])('%s', async (_, request, rows) => {
    const collection = await make();
    const events = (await eventTypes(first, collection)).length;
    const answer = await sendTogether(collection.owner, await request(collection));
    expect(answer?.status).toBeLessThan(300);
    expect(await written(first, collection)).toEqual([rows, events + 1]);
  });

  it.each([
    ['in one statement', { $inc: { n: 1 } }, { n: 2 }],
    ['under a lock', { $push: { list: 'x' } }, { list: ['x'] }],
  ])('update %s', async (_, body, expected) => {
    const collection = await make();
    const [id] = await insert(first, collection, { n: 1 });
    const events = (await eventTypes(first, collection)).length;
    const one = { method: 'PATCH', path: `${collection.data}/${id}`, body };
    expect((await sendTogether(collection.owner, one))?.body).toEqual({ matched_count: 1, updated_count: 1 });
    expect(await read(first, collection, id as string)).toMatchObject(expected);
    const update = { filter: { _id: id }, update: body };
    await sendTogether(collection.owner, { method: 'PATCH', path: collection.data, body: update });
    expect((await eventTypes(first, collection)).length).toBe(events + 2);
  });

  it('to create a collection, create a key, change the schema, share', async () => {
    const { path, owner } = await make();
    const sent: Request[] = [
      { method: 'POST', path: '/v1/collections', body: { name: newName() } },
      { method: 'PATCH', path, body: { description: newName() } },
      { method: 'PATCH', path: `${path}/schema`, body: { properties: { more: { type: 'text' } } } },
      { method: 'POST', path: `${path}/api-keys`, body: { slug: newSlug(), name: 'Dashboard' } },
      {
        method: 'POST',
        path: `${path}/access`,
        body: { principal_type: 'org', principal_id: home.org.slug, role: 'reader' },
      },
      { method: 'PATCH', path: `${path}/access/org/${home.org.slug}`, body: { role: 'editor' } },
      { method: 'POST', path: `${path}/indexes`, body: { indexes: [{ properties: ['n'] }] } },
    ];
    for (const request of sent) {
      const before = await count();
      expect((await sendTogether(owner, request))?.status).toBeLessThan(300);
      expect([request.path, await count()]).toEqual([request.path, before + 1]);
    }
  });
});

/** All events of the organization. */
async function count(): Promise<number> {
  const [{ n }] = await first.sql(`SELECT count(*)::int AS n FROM ${schemaOf(home.org.id)}.audit_events`);
  return n;
}

describe('of two different concurrent requests with one key', () => {
  it('one is executed and the other refused', async () => {
    const collection = await make();
    const key = newRetryKey();
    const answers = await Promise.all(
      Array.from({ length: AT_ONCE }, (_, n) =>
        sendWith(n % 2 === 0 ? first : second, key, {
          method: 'POST',
          path: collection.data,
          body: { records: { n } },
          caller: collection.owner,
        }),
      ),
    );
    const statuses = answers.map(({ status }) => status).sort();
    expect(statuses[0]).toBe(200);
    expect(statuses.slice(1).every(status => status === 422 || status === 409)).toBe(true);
    expect((await written(first, collection))[0]).toBe(1);
  });
});

describe('while an equal request is in progress', () => {
  /** Reserves a key as a request in progress does, and releases it without a result. */
  const claimed = async (work: (key: string, collection: TestCollection) => Promise<void>) => {
    const collection = await make();
    const key = newRetryKey();
    const client = new pg.Client({ connectionString: first.settings.DATABASE_URL });
    await client.connect();
    try {
      const schema = schemaOf(home.org.id);
      await client.query('BEGIN');
      await client.query(`SELECT ${schema}.claim_idempotency_key($1, $2)`, [caller, key]);
      await work(key, collection);
    } finally {
      await client.end();
    }
  };

  it.each([
    ['insert', '', 'POST', { records: { n: 1 } }],
    ['update under a lock', '', 'PATCH', { filter: { n: 1 }, update: { $push: { list: 1 } } }],
  ])('%s waits briefly, and is then refused with 409', async (_, path, method, body) => {
    await claimed(async (key, collection) => {
      const sent = { method, path: collection.data + path, body, caller: collection.owner };
      const answer = await sendWith(first, key, sent);
      expect(outcome(answer)).toEqual([409, 'Conflict']);
      expect(answer.body.message).toContain('Idempotency-Key');
      expect((await written(first, collection))[0]).toBe(0);
    });
  });

  it('a metadata request does the same', async () => {
    await claimed(async (key, collection) => {
      const sent = { method: 'PATCH', path: collection.path, body: {}, caller: collection.owner };
      expect(outcome(await sendWith(second, key, sent))).toEqual([409, 'Conflict']);
    });
  });

  it('the request is executed as soon as the other has failed', async () => {
    let waiting: Promise<unknown> | undefined;
    let made: TestCollection | undefined;
    await claimed(async (key, collection) => {
      made = collection;
      const body = { records: { n: 1 } };
      waiting = sendWith(first, key, {
        method: 'POST',
        path: collection.data,
        body,
        caller: collection.owner,
      });
      await expect
        .poll(
          async () =>
            (await first.sql(`SELECT FROM pg_locks WHERE locktype = 'advisory' AND NOT granted`)).length,
        )
        .toBeGreaterThan(0);
    });
    expect(await waiting).toMatchObject({ status: 200, body: { inserted_count: 1 } });
    expect((await written(first, made as TestCollection))[0]).toBe(1);
    expect((await storedResponses(first, home.org.id)).length).toBeGreaterThan(0);
  });
});
