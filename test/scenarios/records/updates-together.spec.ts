import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp, type TestResponse } from '../../harness/app.js';
import {
  EMMA,
  eventsOf,
  everyRecord,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  read,
  type TestCollection,
} from '../../harness/collection.js';
import { databaseUse } from '../../harness/round-trips.js';
import { sharingUpdates } from '../../harness/shared-updates.js';
import { now, pulled } from '../changes/feed.js';
import { newRetryKey, observed } from '../idempotency/retry.js';
import { FITTING } from './typed-values.js';

const CHANGED = { matched_count: 1, updated_count: 1 };

describe('updates of single records that arrive while others are running', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });

  const patch = ({ data, owner }: TestCollection, id: string | undefined, body: object, headers = {}) =>
    app.request('PATCH', `${data}/${id}`, { ...owner, body, headers });

  it.each([
    ['without a key', () => false],
    ['each with an Idempotency-Key', () => true],
    ['some with an Idempotency-Key', (n: number) => n % 3 === 0],
  ])('share statements, %s, and each has its own event', async (_, isKeyed) => {
    const collection = await newTypedCollection(app, home);
    const ids = await insert(app, collection, ...Array.from({ length: 30 }, (_, year) => ({ year })));
    const headers = ids.map((_, n): Record<string, string> => {
      return isKeyed(n) ? { 'idempotency-key': newRetryKey() } : {};
    });
    const update = (id: string, n: number) =>
      patch(collection, id, { $inc: { year: 100 }, $set: { shelf: id } }, headers[n]);
    let answers: TestResponse[] = [];
    const { pooled } = await databaseUse(app, async () => {
      answers = await sharingUpdates(app, collection, () => ids.map(update));
    });
    expect(answers.map(({ body }) => body)).toEqual(ids.map(() => CHANGED));
    expect(pooled).toBeLessThan(ids.length);
    for (const [n, id] of ids.entries())
      expect(await read(app, collection, id)).toMatchObject({ year: 100 + n, shelf: id });
    const events = (await eventsOf(app, collection)).filter(({ record_ids }) =>
      ids.includes(record_ids?.[0] as string),
    );
    const updated = events.filter(({ type }) => type === 'collections.records.updated');
    expect(
      updated.map(({ record_ids, correlation_id, count }) => [record_ids, correlation_id, count]),
    ).toEqual(
      expect.arrayContaining(ids.map((id, n) => [[id], answers[n]?.headers.get('x-correlation-id'), 1])),
    );
    expect(updated).toHaveLength(ids.length);
    for (const [n, id] of ids.entries()) {
      if (isKeyed(n)) expect(observed(await update(id, n))).toEqual([200, answers[n]?.text, 'true']);
    }
  });

  it('leave out those whose key is taken, and those of a record that is gone, and no other is written alone', async () => {
    const collection = await newTypedCollection(app, home);
    const ids = await insert(app, collection, ...Array.from({ length: 12 }, (_, year) => ({ year })));
    const [done, same, twice, gone, deleted] = [...ids];
    const keys = new Map(ids.map(id => [id, newRetryKey()]));
    const send = (id = '', year = 100) =>
      patch(collection, id, { $inc: { year } }, { 'idempotency-key': keys.get(id) ?? '' });
    const first = await send(done);
    // It already has the value.
    await patch(collection, same, { $inc: { year: -1 } });
    keys.set(twice as string, keys.get(gone as string) as string);
    await app.request('DELETE', `${collection.data}/${deleted}`, collection.owner);
    let answers: TestResponse[] = [];
    const { pooled } = await databaseUse(app, async () => {
      answers = await sharingUpdates(app, collection, () => ids.map(id => send(id, id === same ? 0 : 100)));
    });
    expect(pooled).toBeLessThan(ids.length);
    const [again, unchanged, one, other, missing, ...others] = answers.map(observed);
    expect(again).toEqual([200, first.text, 'true']);
    expect(unchanged?.slice(0, 2)).toEqual([200, '{"matched_count":1,"updated_count":0}']);
    expect([one?.[0], other?.[0]].sort()).toEqual([200, 422]);
    expect(missing?.[0]).toBe(404);
    expect(others.map(([status]) => status)).toEqual(others.map(() => 200));
    expect((await send(deleted)).status).toBe(404);
    expect(observed(await send(same, 0))).toEqual([200, unchanged?.[1], 'true']);
    expect(await read(app, collection, done as string)).toMatchObject({ year: 100 });
  });

  it('are in the history of their record, each with its own event', async () => {
    const collection = await newTypedCollection(app, home);
    const ids = await insert(app, collection, ...Array.from({ length: 10 }, (_, year) => ({ year })));
    const answers = await sharingUpdates(app, collection, () =>
      ids.map(id => patch(collection, id, { $inc: { year: 100 } })),
    );
    for (const [n, id] of ids.entries()) {
      const { items } = (await app.request('GET', `${collection.data}/${id}/history`, home.owner)).body;
      const [{ correlation_id, changed, operation }] = items;
      expect({ correlation_id, changed, operation, versions: items.length }).toEqual({
        correlation_id: answers[n]?.headers.get('x-correlation-id'),
        changed: ['year'],
        operation: 'updated',
        versions: 2,
      });
    }
  });

  it('write what they write alone, for every type of column', async () => {
    const collection = await newTypedCollection(app, home);
    const changes = FITTING.map(({ column, sent }) => ({ [column]: sent }));
    const alone = await insert(app, collection, ...changes.map(() => ({ ...EMMA, twin: 'alone' })));
    const shared = await insert(app, collection, ...changes.map(() => ({ ...EMMA, twin: 'shared' })));
    const first = [];
    for (const [n, id] of alone.entries()) first.push(await patch(collection, id, changes[n] as object));
    const answers = await sharingUpdates(app, collection, () =>
      shared.map((id, n) => patch(collection, id, changes[n] as object)),
    );
    expect(answers.map(({ body }) => body)).toEqual(first.map(({ body }) => body));
    for (const [n, id] of shared.entries()) {
      const [mine, twin] = [await read(app, collection, id), await read(app, collection, alone[n] as string)];
      const { _id, created_at, updated_at } = mine;
      expect(mine).toEqual({ ...twin, twin: 'shared', _id, created_at, updated_at });
    }
  });

  it.each<[string, object, object]>([
    [
      'sets flexible fields',
      { $set: { shelf: 1, mood: { calm: true } } },
      { shelf: 1, mood: { calm: true } },
    ],
    ['removes flexible fields', { $unset: { notes: '' } }, { notes: undefined }],
    ['does both', { $set: { shelf: 2 }, $unset: { notes: '' } }, { shelf: 2, notes: undefined }],
    ['takes the least and the greatest', { $min: { year: 5 }, $max: { price: 90 } }, { year: 5, price: 90 }],
    ['multiplies', { $mul: { year: 2, price: 2 } }, { year: 3630, price: 25 }],
  ])('%s', async (_, body, after) => {
    const collection = await newTypedCollection(app, home);
    const ids = await insert(app, collection, EMMA, EMMA, EMMA);
    const before = await read(app, collection, ids[0] as string);
    const answers = await sharingUpdates(app, collection, () => ids.map(id => patch(collection, id, body)));
    expect(answers.map(answer => answer.body)).toEqual(ids.map(() => CHANGED));
    for (const _id of ids) {
      const record = await read(app, collection, _id);
      const { created_at, updated_at } = record;
      const expected = JSON.parse(JSON.stringify({ ...before, ...after, _id, created_at, updated_at }));
      expect(record).toEqual(expected);
    }
  });

  it('of one record take effect one after the other', async () => {
    const collection = await newTypedCollection(app, home);
    const [id = ''] = await insert(app, collection, { year: 0 });
    const answers = await sharingUpdates(app, collection, () =>
      Array.from({ length: 12 }, (_, n) =>
        patch(collection, n % 2 === 0 ? id : id.toUpperCase(), { $inc: { year: 1 } }),
      ),
    );
    expect(answers.map(({ body }) => body)).toEqual(answers.map(() => CHANGED));
    expect((await read(app, collection, id)).year).toBe(12);
  });

  it('are refused each for itself', async () => {
    const collection = await newTypedCollection(app, home, { uniques: [{ properties: ['title'] }] });
    const titles = ['taken', 'b', 'c', 'd', 'e', 'gone'];
    const ids = await insert(app, collection, ...titles.map(title => ({ title, year: 1 })));
    await app.request('DELETE', `${collection.data}/${ids[5]}`, collection.owner);
    const stale = { 'if-match': '"1-1-1"' };
    const answers = await sharingUpdates(app, collection, () => [
      patch(collection, ids[1], { title: 'taken' }),
      patch(collection, ids[2], { title: 'new' }),
      patch(collection, ids[3], { title: 'd' }),
      patch(collection, ids[4], { title: 'other' }, stale),
      patch(collection, ids[5], { title: 'back' }),
      patch(collection, ids[3], { $inc: { year: 2 ** 53 - 1 } }),
      patch(collection, ids[2], { $inc: { year: 1 } }),
    ]);
    expect(answers.map(outcome)).toEqual([
      [409, 'AlreadyExists'],
      [200, undefined],
      [200, undefined],
      [412, 'PreconditionFailed'],
      [404, 'RecordNotFound'],
      [400, 'InvalidArguments'],
      [200, undefined],
    ]);
    expect(answers[2]?.body).toEqual({ matched_count: 1, updated_count: 0 });
    const records = (await everyRecord(app, collection)).filter(({ _id }) => ids.includes(_id as string));
    expect(records.map(({ title, year }) => [title, year])).toEqual([
      ['taken', 1],
      ['b', 1],
      ['new', 2],
      ['d', 1],
      ['e', 1],
    ]);
    const events = (await eventsOf(app, collection)).filter(
      ({ type, record_ids }) =>
        type === 'collections.records.updated' && ids.includes(record_ids?.[0] as string),
    );
    expect(events.map(({ record_ids }) => record_ids)).toEqual([[ids[2]], [ids[2]]]);
  });

  it('with an Idempotency-Key are done once', async () => {
    const collection = await newTypedCollection(app, home);
    const ids = await insert(app, collection, { year: 1 }, { year: 1 });
    const key = { 'idempotency-key': 'once' };
    const send = () => patch(collection, ids[0], { $inc: { year: 1 } }, key);
    const answers = await sharingUpdates(app, collection, () => [
      send(),
      patch(collection, ids[1], { $inc: { year: 1 } }),
    ]);
    expect((await send()).body).toEqual(answers[0]?.body);
    expect((await read(app, collection, ids[0] as string)).year).toBe(2);
  });

  it('are all told to followers of the collection', async () => {
    const collection = await newTypedCollection(app, home);
    const ids = await insert(app, collection, { year: 1 }, { year: 2 }, { year: 3 });
    const since = await now(app, collection);
    await sharingUpdates(app, collection, () => ids.map(id => patch(collection, id, { $inc: { year: 10 } })));
    const told = (await pulled(app, collection, since)).filter(({ record_id }) => ids.includes(record_id));
    for (const [n, id] of ids.entries())
      expect(told).toContainEqual(
        expect.objectContaining({
          type: 'updated',
          record_id: id,
          record: expect.objectContaining({ year: 11 + n }),
        }),
      );
    expect(told).toHaveLength(3);
  });
});
