import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { type TestApp, type TestResponse } from '../../harness/app.js';
import {
  eventsOf,
  expire,
  type Home,
  insert,
  newCollection,
  newTypedCollection,
  outcome,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { startTwoInstances } from '../../harness/two-instances.js';

describe('settings.max_records', () => {
  let app: TestApp;
  let second: TestApp;
  let home: Home;
  beforeAll(async () => {
    ({ app, second, home } = await startTwoInstances());
  });
  afterAll(() => second.close());

  const limited = (max_records: number) => newTypedCollection(app, home, { settings: { max_records } });
  const add = ({ data }: TestCollection, records: object | object[], instance = app) =>
    instance.request('POST', data, { ...home.owner, body: { records } });
  const statuses = (answers: TestResponse[]) =>
    Object.fromEntries(
      [...new Set(answers.map(answer => answer.status))]
        .sort()
        .map(status => [status, answers.filter(answer => answer.status === status).length]),
    );
  const empty = (count: number) => Array.from({ length: count }, () => ({}));

  it('can be reached but not exceeded, and each request is stored as a whole or not at all', async () => {
    const collection = await limited(10);
    expect((await add(collection, empty(7))).status).toBe(200);
    const before = await written(app, collection);
    const over = await add(collection, empty(4));
    expect(outcome(over)).toEqual([422, 'CollectionFull']);
    expect(over.body.details).toEqual({ max_records: 10, records: 7, requested: 4 });
    expect(await written(app, collection)).toEqual(before);
    expect((await add(collection, empty(3))).status).toBe(200);
    expect(outcome(await add(collection, {}))).toEqual([422, 'CollectionFull']);
    const bulk = await app.request('POST', `${collection.data}/bulk`, {
      ...home.owner,
      body: { records: [{}] },
    });
    expect(outcome(bulk)).toEqual([422, 'CollectionFull']);
    expect((await written(app, collection))[0]).toBe(10);
  });

  it('does not count deleted or expired records', async () => {
    const collection = await limited(3);
    const ids = await insert(app, collection, {}, {}, {});
    await app.request('DELETE', `${collection.data}/${ids[0]}`, home.owner);
    expect((await add(collection, {})).status).toBe(200);
    expect(outcome(await add(collection, {}))).toEqual([422, 'CollectionFull']);
    await expire(app, collection, ids[1] as string, ids[2] as string);
    expect((await add(collection, empty(2))).status).toBe(200);
    expect(outcome(await add(collection, {}))).toEqual([422, 'CollectionFull']);
  });

  it('does not count records that a bulk upsert updates', async () => {
    const collection = await newCollection(app, home, {
      settings: { max_records: 3 },
      properties: { k: { type: 'text' } },
      uniques: [{ properties: ['k'] }],
    });
    const upsert = (...keys: string[]) =>
      app.request('POST', `${collection.data}/bulk`, {
        ...home.owner,
        body: { records: keys.map(k => ({ k })), upsert_key: 'k' },
      });
    expect((await upsert('a', 'b')).status).toBe(201);
    expect((await upsert('a', 'b', 'c')).status).toBe(201);
    expect((await upsert('a', 'b', 'c')).status).toBe(201);
    expect(outcome(await upsert('a', 'd'))).toEqual([422, 'CollectionFull']);
    expect((await written(app, collection))[0]).toBe(3);
  });

  it('applies at once when it is raised or lowered', async () => {
    const collection = await limited(5);
    const set = (max_records: number) =>
      app.request('PATCH', collection.path, { ...home.owner, body: { settings: { max_records } } });
    await add(collection, empty(4));
    await set(2);
    expect(outcome(await add(collection, {}))).toEqual([422, 'CollectionFull']);
    expect(outcome(await add(collection, {}, second))).toEqual([422, 'CollectionFull']);
    await set(6);
    expect((await add(collection, {}, second)).status).toBe(200);
    expect((await add(collection, {})).status).toBe(200);
    expect(outcome(await add(collection, {}))).toEqual([422, 'CollectionFull']);
    expect((await written(app, collection))[0]).toBe(6);
  });

  it.each([
    [1, 0],
    [20, 0],
    [60, 30],
    [2000, 1970],
  ])(
    'of %i with %i records is never exceeded by 50 concurrent inserts, and none is refused too early',
    async (max, there) => {
      const collection = await limited(max);
      if (there > 0) {
        const body = { records: empty(there) };
        await app.request('POST', `${collection.data}/bulk`, { ...home.owner, body });
      }
      const answers = await Promise.all(empty(50).map(() => add(collection, {})));
      const room = Math.min(50, max - there);
      expect(statuses(answers)).toEqual({ 200: room, 422: 50 - room });
      expect((await written(app, collection))[0]).toBe(max);
    },
  );

  it.each([
    [1, 0],
    [40, 0],
    [1100, 1070],
  ])('of %i with %i records is exact across two instances as well', async (max, there) => {
    const collection = await limited(max);
    if (there > 0) {
      const body = { records: empty(there) };
      await second.request('POST', `${collection.data}/bulk`, { ...home.owner, body });
    }
    const answers = await Promise.all(
      empty(50).map((_, index) => add(collection, {}, index % 2 === 0 ? app : second)),
    );
    const room = Math.min(50, max - there);
    expect(statuses(answers)).toEqual({ 200: room, 422: 50 - room });
    expect((await written(app, collection))[0]).toBe(max);
    const inserted = (await eventsOf(app, collection)).filter(
      ({ type }) => type === 'collections.records.inserted',
    );
    expect(inserted.reduce((sum, event) => sum + (event.count ?? 0), 0)).toBe(max);
  });

  it('is exact for concurrent batches of every size', async () => {
    const collection = await limited(100);
    const answers = await Promise.all(
      Array.from({ length: 40 }, (_, n) => add(collection, empty((n % 9) + 1), n % 3 === 0 ? second : app)),
    );
    const [rows] = await written(app, collection);
    expect(new Set(Object.keys(statuses(answers)))).toEqual(new Set(['200', '422']));
    const taken = answers.reduce((sum, answer) => sum + (answer.body.inserted_count ?? 0), 0);
    expect(rows).toBe(taken);
    expect(rows).toBeLessThanOrEqual(100);
    expect(rows).toBeGreaterThan(91);
  });
});
