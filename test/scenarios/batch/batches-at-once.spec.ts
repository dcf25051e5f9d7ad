import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import {
  eventsOf,
  type Home,
  insert,
  newCollection,
  outcome,
  read,
  search,
  type TestCollection,
} from '../../harness/collection.js';
import { startTwoInstances } from '../../harness/two-instances.js';
import { batch, tagOf } from './batch.js';

let app: TestApp;
let second: TestApp;
let home: Home;
beforeAll(async () => {
  ({ app, second, home } = await startTwoInstances());
});
afterAll(() => second.close());

const shuffled = <T>(list: readonly T[]): T[] =>
  list
    .map(each => [Math.random(), each] as const)
    .sort(([a], [b]) => a - b)
    .map(([, each]) => each);
const statuses = (answers: { status: number }[]) => answers.map(({ status }) => status).sort();

describe('batches at the same time', () => {
  it('with the same if_match: exactly one is written', async () => {
    const collection = await newCollection(app, home);
    const ids = await insert(app, collection, ...Array.from({ length: 20 }, (_, n) => ({ n, by: null })));
    const tags = await Promise.all(ids.map(id => tagOf(app, collection, id)));
    const answers = await Promise.all(
      Array.from({ length: 12 }, (_, by) =>
        batch(
          by % 2 === 0 ? app : second,
          collection,
          shuffled(ids.map((_id, n) => ({ update: { _id, if_match: tags[n], update: { by } } }))),
        ),
      ),
    );
    expect(statuses(answers)).toEqual([200, ...Array(11).fill(409)]);
    const winner = answers.findIndex(({ status }) => status === 200);
    const { records } = await search(app, collection, { limit: 100 });
    expect(new Set(records.map(({ by }: { by: number }) => by))).toEqual(new Set([winner]));
    for (const answer of answers.filter(({ status }) => status === 409)) {
      expect(outcome(answer)).toEqual([409, 'BatchConflict']);
      expect(answer.body.details).toHaveLength(20);
    }
    expect((await eventsOf(app, collection)).filter(({ type }) => type.endsWith('written'))).toHaveLength(1);
  });

  it('on the same records in different order: each is written', async () => {
    const collection = await newCollection(app, home, {
      properties: { n: { type: 'integer' }, key: { type: 'integer' } },
      uniques: [{ properties: ['key'] }],
    });
    const ids = await insert(app, collection, ...Array.from({ length: 30 }, (_, key) => ({ n: 0, key })));
    const answers = await Promise.all(
      Array.from({ length: 20 }, (_, by) =>
        batch(by % 2 === 0 ? app : second, collection, [
          ...shuffled(ids).map(_id => ({ update: { _id, update: { $inc: { n: 1 } } } })),
          { insert: { n: by } },
        ]),
      ),
    );
    expect(statuses(answers)).toEqual(Array(20).fill(200));
    for (const id of ids) expect((await read(app, collection, id)).n).toBe(20);
  });

  it('that exchange unique values: each is written or meets a value that another one took', async () => {
    const collection = await newCollection(app, home, {
      properties: { key: { type: 'integer', nullable: false } },
      uniques: [{ properties: ['key'] }],
    });
    const ids = await insert(app, collection, ...Array.from({ length: 8 }, (_, key) => ({ key })));
    const answers = await Promise.all(
      Array.from({ length: 10 }, (_, by) => {
        const keys = shuffled(ids.map((__, key) => key));
        const operations = shuffled(ids.map((_id, n) => ({ update: { _id, update: { key: keys[n] } } })));
        return batch(by % 2 === 0 ? app : second, collection, operations);
      }),
    );
    expect(statuses(answers)).toEqual(Array(10).fill(200));
    const { records } = await search(app, collection, { sort: { key: 1 } });
    expect(records.map(({ key }: { key: number }) => key)).toEqual(ids.map((__, key) => key));
  });

  it('never hold more records than max_records', async () => {
    const collection = await newCollection(app, home, { settings: { max_records: 10 } });
    const ids = await insert(app, collection, ...Array.from({ length: 6 }, (_, n) => ({ n })));
    const answers = await Promise.all([
      ...Array.from({ length: 6 }, (_, n) =>
        batch(n % 2 ? app : second, collection, [{ insert: {} }, { insert: {} }]),
      ),
      ...ids.slice(0, 2).map(_id => batch(app, collection, [{ delete: { _id } }, { insert: {} }])),
    ]);
    expect(statuses(answers)).toEqual([...Array(4).fill(200), ...Array(4).fill(422)]);
    const [{ rows }] = await app.sql(`SELECT count(*)::int AS rows FROM ${collection.table}`);
    expect(rows).toBe(10);
  });
});

describe('a batch with an Idempotency-Key', () => {
  const send = (collection: TestCollection, key: string, operations: unknown, more: object = {}) =>
    app.request('POST', `${collection.data}/batch`, {
      ...home.owner,
      body: { operations, ...more },
      headers: { 'idempotency-key': key },
    });

  it('is written once, and answered alike', async () => {
    const collection = await newCollection(app, home);
    const [id] = (await insert(app, collection, { n: 0 })) as [string];
    const key = randomUUID();
    const operations = [{ update: { _id: id, update: { $inc: { n: 1 } } } }, { insert: { n: 5 } }];
    const answers = await Promise.all(Array.from({ length: 5 }, () => send(collection, key, operations)));
    const done = answers.filter(({ status }) => status === 200);
    expect(done.length).toBeGreaterThan(0);
    const again = await send(collection, key, operations);
    expect([again.status, again.headers.get('idempotency-replayed')]).toEqual([200, 'true']);
    expect(new Set([...done, again].map(({ text }) => text)).size).toBe(1);
    expect((await read(app, collection, id)).n).toBe(1);
    expect((await search(app, collection)).count).toBe(2);
    expect((await send(collection, key, [{ insert: {} }])).status).toBe(422);
  });

  it('can be sent again after a refusal, and after a dry run', async () => {
    const collection = await newCollection(app, home);
    const key = randomUUID();
    const operations = [{ insert: { n: 1 } }, { delete: { _id: randomUUID() } }];
    expect((await send(collection, key, operations)).status).toBe(409);
    expect((await send(collection, key, [{ insert: {} }], { dry_run: true })).status).toBe(200);
    expect((await send(collection, key, [{ insert: {} }])).status).toBe(200);
  });
});
