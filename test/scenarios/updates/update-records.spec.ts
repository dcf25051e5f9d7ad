import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { TestApp } from '../../harness/app.js';
import {
  EVERY_TYPE,
  eventsOf,
  everyRecord,
  expire,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  read,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { startTwoInstances } from '../../harness/two-instances.js';

describe('PATCH /v1/collections/{collection_id}/data', () => {
  let app: TestApp;
  let second: TestApp;
  let home: Home;
  beforeAll(async () => {
    ({ app, second, home } = await startTwoInstances());
  });
  afterAll(() => second.close());

  const shelf = (wanted: object = {}) => newTypedCollection(app, home, wanted);
  const patch = ({ data, owner }: TestCollection, body: unknown, instance = app) =>
    instance.request('PATCH', data, { ...owner, body });

  /** The same change, once in a form that runs as one statement and once in a form that runs under a lock. */
  const WAYS: [string, object][] = [
    ['in one statement', { $set: { lent: true, mood: 'new' }, $inc: { year: 1 } }],
    ['under a lock', { $set: { lent: true, 'details.n': 1, mood: 'new' }, $inc: { year: 1 } }],
  ];

  describe.each(WAYS)('%s', (_, update) => {
    it('changes the records that match the filter, and no others', async () => {
      const collection = await shelf();
      const ids = await insert(
        app,
        collection,
        { year: 1, f: 'a' },
        { year: 2, f: 'b' },
        { year: 3, f: 'a' },
      );
      const before = await everyRecord(app, collection);
      const answer = await patch(collection, { filter: { f: 'a' }, update });
      expect([answer.status, answer.body]).toEqual([200, { matched_count: 2, updated_count: 2 }]);
      const after = await everyRecord(app, collection);
      expect(after.map(({ year, lent, mood }) => [year, lent, mood])).toEqual([
        [2, true, 'new'],
        [2, null, undefined],
        [4, true, 'new'],
      ]);
      expect(after[1]).toEqual(before[1]);
      expect((await eventsOf(app, collection)).slice(2)).toMatchObject([
        {
          type: 'collections.records.updated',
          count: 2,
          record_ids: [ids[0], ids[2]],
          changes: null,
          correlation_id: answer.headers.get('x-correlation-id'),
        },
      ]);
    });

    it('counts as updated, and lists in the event, only records that are different now', async () => {
      const collection = await shelf();
      const set = (update as { $set: object }).$set;
      const done = { lent: true, mood: 'new', details: { n: 1 } };
      const [fresh] = await insert(app, collection, {}, done, done);
      const answer = await patch(collection, { filter: {}, allow_match_all: true, update: { $set: set } });
      expect(answer.body).toEqual({ matched_count: 3, updated_count: 1 });
      expect((await eventsOf(app, collection)).at(-1)).toMatchObject({ count: 1, record_ids: [fresh] });
      const count = await written(app, collection);
      const again = await patch(collection, { filter: { lent: true }, update: { $set: set } });
      expect(again.body).toEqual({ matched_count: 3, updated_count: 0 });
      expect(await written(app, collection)).toEqual(count);
    });

    it('changes nothing and writes no event if no record matches', async () => {
      const collection = await shelf();
      await insert(app, collection, { year: 1 });
      const before = [await everyRecord(app, collection), await written(app, collection)];
      const answer = await patch(collection, { filter: { year: 2 }, update });
      expect(answer.body).toEqual({ matched_count: 0, updated_count: 0 });
      expect([await everyRecord(app, collection), await written(app, collection)]).toEqual(before);
    });

    it('changes up to max_affected records, and none if one more matches', async () => {
      const collection = await shelf();
      await insert(app, collection, {}, {}, {});
      const before = [await everyRecord(app, collection), await written(app, collection)];
      for (const max_affected of [0, 2]) {
        const answer = await patch(collection, { filter: { _id: { $exists: true } }, update, max_affected });
        expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
        expect(answer.body.message).toContain('max_affected');
        expect(answer.body.details).toEqual({ max_affected });
      }
      expect([await everyRecord(app, collection), await written(app, collection)]).toEqual(before);
      const answer = await patch(collection, { filter: { lent: null }, update, max_affected: 3 });
      expect(answer.body.updated_count).toBe(3);
    });

    it('reports the outcome with dry_run, and changes nothing', async () => {
      const collection = await shelf();
      await insert(app, collection, { year: 1 }, { year: 2 });
      const before = [await everyRecord(app, collection), await written(app, collection)];
      const body = { filter: { year: { $gte: 2 } }, update, dry_run: true };
      const answer = await patch(collection, body);
      expect([answer.status, answer.body]).toEqual([
        200,
        { matched_count: 1, updated_count: 1, dry_run: true },
      ]);
      expect(outcome(await patch(collection, { ...body, max_affected: 0 }))).toEqual([
        400,
        'InvalidArguments',
      ]);
      expect([await everyRecord(app, collection), await written(app, collection)]).toEqual(before);
      expect((await patch(collection, { ...body, dry_run: false })).body).toEqual({
        matched_count: 1,
        updated_count: 1,
      });
    });

    it('ignores expired records', async () => {
      const collection = await shelf();
      const [gone] = await insert(app, collection, {}, {});
      await expire(app, collection, gone as string);
      const answer = await patch(collection, { filter: {}, allow_match_all: true, update, max_affected: 1 });
      expect(answer.body).toEqual({ matched_count: 1, updated_count: 1 });
    });

    it('returns 409 for a unique violation, 400 for a value invalid in one of the records, and changes none', async () => {
      const collection = await shelf({
        properties: { ...EVERY_TYPE, isbn: { type: 'text' } },
        uniques: [{ properties: ['isbn'] }],
      });
      await insert(app, collection, { year: 1 }, { year: 9_007_199_254_740_991 }, { year: 3 });
      const before = [await everyRecord(app, collection), await written(app, collection)];
      const everything = { filter: {}, allow_match_all: true };
      const misfit = await patch(collection, { ...everything, update });
      expect(outcome(misfit)).toEqual([400, 'InvalidArguments']);
      expect(misfit.body.message).toContain('year: expects an integer');
      expect(misfit.body.details).toEqual({ record_id: (before[0] as { _id: string }[])[1]?._id });
      const { $set } = update as { $set: object };
      for (const dry_run of [true, false]) {
        const clash = await patch(collection, {
          ...everything,
          dry_run,
          update: { $set: { ...$set, isbn: 'x' } },
        });
        expect(outcome(clash)).toEqual([409, 'AlreadyExists']);
      }
      expect([await everyRecord(app, collection), await written(app, collection)]).toEqual(before);
    });

    it('changes more records than one batch holds, with one event', async () => {
      const collection = await shelf();
      const records = Array.from({ length: 2_500 }, (_, n) => ({ n, year: n }));
      const made = await app.request('POST', `${collection.data}/bulk`, { ...home.owner, body: { records } });
      expect(made.status).toBe(201);
      const answer = await patch(collection, { filter: { n: { $lt: 2_400 } }, update });
      expect(answer.body).toEqual({ matched_count: 2_400, updated_count: 2_400 });
      const [row] = await app.sql(
        `SELECT count(*) FILTER (WHERE lent AND year = n + 1)::int AS changed, count(*) FILTER (WHERE lent IS NULL AND year = n)::int AS kept
         FROM (SELECT c2 AS year, c4 AS lent, (x->>'n')::int AS n FROM ${collection.table}) r`,
      );
      expect(row).toEqual({ changed: 2_400, kept: 100 });
      const events = (await eventsOf(app, collection)).slice(2);
      expect(events).toMatchObject([{ type: 'collections.records.updated', count: 2_400 }]);
      expect(new Set(events[0]?.record_ids).size).toBe(1_000);
    });

    it('loses none of 40 concurrent updates on two instances, whatever their order', async () => {
      const collection = await shelf();
      await insert(app, collection, ...Array.from({ length: 20 }, (_, n) => ({ year: 0, n })));
      const { $inc, ...rest } = update as { $inc: object };
      const answers = await Promise.all(
        Array.from({ length: 40 }, (_, n) =>
          patch(
            collection,
            { filter: n % 2 ? { n: { $gte: 0 } } : { year: { $gte: 0 } }, update: { ...rest, $inc } },
            n % 3 ? app : second,
          ),
        ),
      );
      expect(answers.map(({ body }) => body.updated_count)).toEqual(Array(40).fill(20));
      expect((await everyRecord(app, collection)).map(({ year }) => year)).toEqual(Array(20).fill(40));
    });
  });

  it('accepts fields without operators, operators on arrays, and paths', async () => {
    const collection = await shelf();
    const [id] = await insert(app, collection, { tags: ['a', 'b'], list: [1, 2, 3] });
    expect(
      (await patch(collection, { filter: { _id: id }, update: { title: 'T' } })).body.updated_count,
    ).toBe(1);
    const update = { $pull: { list: { $gte: 2 }, tags: 'a' }, $push: { 'notes.log': 1 } };
    expect((await patch(collection, { filter: { list: 2 }, update })).body.updated_count).toBe(1);
    expect(await read(app, collection, id as string)).toMatchObject({
      title: 'T',
      tags: ['b'],
      list: [1],
      notes: { log: [1] },
    });
  });

  it('pulls from each record the elements that match', async () => {
    const collection = await shelf();
    await insert(app, collection, { l: [1, 9] }, { l: [9, 1, 9] }, { l: [] }, { l: [{ a: 9 }] });
    const update = { $pull: { l: { $gt: 5 } } };
    const answer = await patch(collection, { filter: { l: { $exists: true } }, update });
    expect(answer.body).toEqual({ matched_count: 4, updated_count: 2 });
    expect((await everyRecord(app, collection)).map(({ l }) => l)).toEqual([[1], [1], [], [{ a: 9 }]]);
  });

  it('pulls by filters from up to 500 fields, and refuses more', async () => {
    const collection = await shelf();
    await insert(app, collection, { f0: [1, 9], f499: [9] });
    const pulls = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, { $gt: 5 }]));
    const send = (count: number) => patch(collection, { filter: { f0: 1 }, update: { $pull: pulls(count) } });
    expect((await send(500)).body).toEqual({ matched_count: 1, updated_count: 1 });
    expect(await everyRecord(app, collection)).toMatchObject([{ f0: [1], f499: [] }]);
    const refused = await send(501);
    expect([refused.status, refused.body.message]).toEqual([
      400,
      'the filters of an update together have at most 500 conditions',
    ]);
  });

  it.each<[string, object, string]>([
    ['no filter', { update: { a: 1 } }, 'filter'],
    ['no update', { filter: { a: 1 } }, 'update'],
    ['a filter that is text', { filter: 'x', update: { a: 1 } }, 'filter'],
    ['an empty filter', { filter: {}, update: { a: 1 } }, 'allow_match_all'],
    [
      'an empty filter and allow_match_all: false',
      { filter: {}, update: { a: 1 }, allow_match_all: false },
      'allow_match_all',
    ],
    [
      'a filter of combined empty filters',
      { filter: { $and: [{}, { $or: [{ a: 1 }, {}] }] }, update: { a: 1 } },
      'allow_match_all',
    ],
    ['a refused operator in the filter', { filter: { $where: '1' }, update: { a: 1 } }, '$where'],
    ['a mixed update', { filter: { a: 1 }, update: { a: 1, $inc: { b: 1 } } }, 'not both'],
    ['a value that does not fit its column', { filter: { a: 1 }, update: { year: 'x' } }, 'year'],
    ['a negative max_affected', { filter: { a: 1 }, update: { a: 1 }, max_affected: -1 }, 'max_affected'],
    ['max_affected as text', { filter: { a: 1 }, update: { a: 1 }, max_affected: '1' }, 'max_affected'],
    ['dry_run as text', { filter: { a: 1 }, update: { a: 1 }, dry_run: 'true' }, 'dry_run'],
    ['an unknown property', { filter: { a: 1 }, update: { a: 1 }, limit: 1 }, 'limit'],
  ])('refuses %s', async (_, body, says) => {
    const collection = await shelf();
    await insert(app, collection, { a: 1 });
    const before = [await everyRecord(app, collection), await written(app, collection)];
    const answer = await patch(collection, body);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(says);
    expect([await everyRecord(app, collection), await written(app, collection)]).toEqual(before);
  });

  it('returns 404 to a stranger before it validates the body', async () => {
    const collection = await shelf();
    await insert(app, collection, { a: 1 });
    const { owner } = await newHome(app);
    const answer = await app.request('PATCH', collection.data, { ...owner, raw: '{' });
    expect(outcome(answer)).toEqual([404, 'CollectionNotFound']);
    expect((await everyRecord(app, collection))[0]).toMatchObject({ a: 1 });
  });
});
