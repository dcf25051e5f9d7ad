import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp, type TestResponse } from '../../harness/app.js';
import {
  type Caller,
  eventsOf,
  type Home,
  insert,
  newCollection,
  newHome,
  newName,
  outcome,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';

/** Concurrent readers and writers, half of them on each instance. */
const WORKERS = 20;

describe('a collection that changes while two instances use it', () => {
  let first: TestApp;
  let second: TestApp;
  let home: Home;
  let key: Caller;
  beforeAll(async () => {
    first = await startApp();
    second = await startOwnApp({ database: { url: first.settings.DATABASE_URL as string } });
    home = await newHome(first);
    key = { key: (await newKey(first, home.org)).apiKey };
  });
  afterAll(() => second.close());

  const make = (wanted: object = {}) =>
    newCollection(first, home, {
      properties: { n: { type: 'integer' } },
      uniques: [{ properties: ['n'] }],
      ...wanted,
    });

  /** Sends requests of every kind until told to stop. Returns all answers. */
  function work(collection: TestCollection) {
    let stopped = false;
    let n = 1; // all upserts use the value 1
    const answers: TestResponse[] = [];
    const run = async (worker: number) => {
      const app = worker % 2 === 0 ? first : second;
      const { data } = collection;
      const post = (path: string, body: object) => app.request('POST', `${data}${path}`, { ...key, body });
      for (let round = worker; !stopped; round++) {
        const requests: (() => Promise<TestResponse>)[] = [
          () => post('', { records: { n: ++n } }),
          () => post('/bulk', { records: [{ n: ++n }, { n: ++n }] }),
          () => post('/bulk', { records: [{ n: ++n }, { n: 1 }], upsert_key: 'n' }),
          () => post('/query', { filter: { n: { $gt: 3 } }, sort: { n: -1 }, limit: 5 }),
          () => app.request('GET', `${data}/count`, key),
          () => post('/aggregate', { steps: [{ type: 'max', input_field: 'n', output_field: 'm' }] }),
        ];
        answers.push(await (requests[round % requests.length] as () => Promise<TestResponse>)());
      }
    };
    const running = Array.from({ length: WORKERS }, (_, worker) => run(worker));
    return {
      answers,
      async stop() {
        stopped = true;
        await Promise.all(running);
      },
    };
  }

  const until = async (answers: readonly unknown[], more: number) => {
    const enough = answers.length + more;
    while (answers.length < enough) await new Promise(resolve => setTimeout(resolve, 5));
  };
  const statuses = (answers: readonly TestResponse[]) => new Set(answers.map(answer => answer.status));

  it('is renamed and gets new settings without a failed request', async () => {
    const collection = await make();
    const workers = work(collection);
    const names = Array.from({ length: 15 }, () => newName());
    for (const [index, name] of names.entries()) {
      await until(workers.answers, 10);
      const body = { name, settings: { max_records: 9_000 + index, ttl_days: index % 2 } };
      const app = index % 2 === 0 ? first : second;
      expect((await app.request('PATCH', collection.path, { ...key, body })).status).toBe(200);
    }
    await workers.stop();
    expect(statuses(workers.answers)).toEqual(new Set([200, 201]));
    const events = await eventsOf(first, collection);
    const writes = events.filter(({ type }) => type.startsWith('collections.records.'));
    expect(new Set(events.map(({ target }) => target.name))).toEqual(new Set([collection.name, ...names]));
    const [rows] = await written(first, collection);
    const inserted = writes.filter(({ type }) => type.endsWith('inserted'));
    const upserted = writes.filter(({ type }) => type.endsWith('upserted'));
    const appended = inserted.reduce((sum, { count }) => sum + (count ?? 0), 0);
    // Each upsert writes two records: one new one, and one that is new only for the first upsert.
    expect(rows).toBe(appended + upserted.length + 1);
    const answered = workers.answers.filter(({ body }) => body.inserted_count ?? body.inserted);
    expect(writes).toHaveLength(answered.length);
  });

  it('accepts nothing after its deletion, and returns 404', async () => {
    for (let round = 0; round < 5; round++) {
      const collection = await make();
      const workers = work(collection);
      await until(workers.answers, 60);
      expect((await second.request('DELETE', collection.path, key)).status).toBe(200);
      const after = await Promise.all(
        [first, second].flatMap(app => [
          app.request('POST', collection.data, { ...key, body: { records: {} } }),
          app.request('POST', collection.data, { ...key, body: { records: [] } }),
          app.request('POST', `${collection.data}/bulk`, { ...key, body: { records: [{ n: 'x' }] } }),
          app.request('GET', `${collection.data}/count`, key),
        ]),
      );
      expect(new Set(after.map(answer => answer.body.error))).toEqual(new Set(['CollectionNotFound']));
      await until(workers.answers, 40);
      await workers.stop();
      expect(statuses(workers.answers)).toEqual(new Set([200, 201, 404]));
      const refused = workers.answers.filter(answer => answer.status === 404);
      expect(new Set(refused.map(answer => answer.body.error))).toEqual(new Set(['CollectionNotFound']));
      const events = await eventsOf(first, collection);
      expect(events.at(-1)?.type).toBe('collections.deleted');
    }
  });

  it('is another collection after it was created again under its name with another schema', async () => {
    const collection = await make();
    await insert(first, collection, { n: 1 });
    expect((await second.request('GET', `${collection.data}/count`, key)).body).toEqual({ count: 1 });
    await first.request('DELETE', collection.path, key);
    const again = await make({ name: collection.name, properties: { n: { type: 'text' } } });
    for (const app of [first, second]) {
      const insertAt = (path: string, n: unknown) =>
        app.request('POST', path, { ...key, body: { records: { n } } });
      expect(outcome(await insertAt(collection.data, 2))).toEqual([404, 'CollectionNotFound']);
      expect(outcome(await insertAt(again.data, 2))).toEqual([400, 'InvalidArguments']);
      expect((await insertAt(again.data, `two ${app.url}`)).status).toBe(200);
    }
    expect((await written(first, again))[0]).toBe(2);
  });

  it('is deleted also for an instance that cached it without writing to it', async () => {
    const collection = await make();
    await second.request('GET', `${collection.data}/count`, key);
    await first.request('DELETE', collection.path, key);
    const body = { records: [{ n: 1 }] };
    expect(outcome(await second.request('POST', collection.data, { ...key, body }))).toEqual([
      404,
      'CollectionNotFound',
    ]);
    const upsert = { ...key, body: { ...body, upsert_key: 'n' } };
    expect(outcome(await second.request('POST', `${collection.data}/bulk`, upsert))).toEqual([
      404,
      'CollectionNotFound',
    ]);
  });

  it('is refused as deleted, before errors in the request, by an instance that cached it', async () => {
    const faults: [string, string, object][] = [
      ['POST', '/data', { body: { records: [] } }],
      ['POST', '/data', { raw: '{' }],
      ['POST', '/data', { raw: 'x', headers: { 'content-type': 'text/plain' } }],
      ['POST', '/data', { raw: 'x'.repeat(11 * 1024 * 1024) }],
      ['POST', '/data/bulk', { body: { records: [{ n: 'x' }] } }],
      ['POST', '/data/query', { body: { filter: { $where: '1' } } }],
      ['GET', '/data?limit=0', {}],
      ['GET', '/data/count?filter=%ff', {}],
      ['GET', '/data/no-uuid', {}],
      ['PATCH', '/data/no-uuid', { body: { $set: 7 } }],
    ];
    for (const [method, path, request] of faults) {
      const collection = await make();
      await second.request('GET', `${collection.data}/count`, key);
      await first.request('DELETE', collection.path, key);
      const answer = await second.request(method, `${collection.path}${path}`, { ...key, ...request });
      expect([path, ...outcome(answer)]).toEqual([path, 404, 'CollectionNotFound']);
    }
  });
});
