import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  EVERY_TYPE,
  eventsOf,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  read,
  search,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { FORBIDDEN, UNFITTING } from './typed-values.js';

const WITH_ISBN = { ...EVERY_TYPE, isbn: { type: 'text' }, code: { type: 'integer', nullable: true } };

describe('POST /v1/collections/{collection_id}/data/bulk', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  const library = () =>
    newTypedCollection(app, home, {
      properties: WITH_ISBN,
      uniques: [{ properties: ['isbn'] }, { properties: ['code'] }, { properties: ['title', 'year'] }],
    });
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await library();
  });

  const bulk = (body: unknown, { data, owner } = books) =>
    app.request('POST', `${data}/bulk`, { ...owner, body });

  describe('append', () => {
    it('returns 201 with the count, and stores order and values', async () => {
      const collection = await library();
      const records = Array.from({ length: 250 }, (_, n) => ({ ...EMMA, year: n, isbn: `i${n}`, n }));
      const { status, body } = await bulk({ records }, collection);
      expect([status, body]).toEqual([201, { inserted: 250, mode: 'append', collection_id: collection.id }]);
      const found = await search(app, collection, { limit: 100 });
      expect(found.records[41]).toMatchObject({ ...EMMA, year: 41, n: 41 });
      expect(found.records.map((record: { n: number }) => record.n)).toEqual(
        Array.from({ length: 100 }, (_, n) => n),
      );
    });

    it('accepts 5,000 records, in one event that counts all and lists 1,000 ids in order', async () => {
      const collection = await library();
      const records = Array.from({ length: 5000 }, (_, n) => ({ title: `t${n}`, n }));
      expect((await bulk({ records }, collection)).status).toBe(201);
      const events = (await eventsOf(app, collection)).slice(1);
      expect(events.map(({ type, count }) => [type, count])).toEqual([
        ['collections.records.inserted', 5000],
      ]);
      const first = (await search(app, collection, { limit: 100 })).records;
      expect(events[0]?.record_ids).toHaveLength(1000);
      expect(events[0]?.record_ids?.slice(0, 100)).toEqual(
        first.map((record: { _id: string }) => record._id),
      );
    });

    it.each(UNFITTING)('refuses the whole batch for %s: %j', async (column, sent, expects) => {
      const before = await written(app, books);
      const answer = await bulk({ records: [{}, {}, { [column]: sent }] });
      expect(outcome(answer)).toEqual([422, 'BatchRejected']);
      expect(answer.body.message).toContain(`records.2.${column}`);
      expect(answer.body.details).toEqual([{ row: 2, column, problem: expect.stringContaining(expects) }]);
      expect(await written(app, books)).toEqual(before);
    });

    it.each(FORBIDDEN)('refuses the whole batch for %s', async (_, record) => {
      const before = await written(app, books);
      const raw = `{"records":[{"title":"fits"},${record}]}`;
      const answer = await app.request('POST', `${books.data}/bulk`, { ...home.owner, raw });
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(await written(app, books)).toEqual(before);
    });

    it('refuses the whole batch for unique violations, and names every row', async () => {
      await insert(app, books, { isbn: 'taken' }, { title: 'two', year: 2 });
      const before = await written(app, books);
      const table: [object[], number[], string][] = [
        [[{}, { isbn: 'taken' }, {}], [1], 'isbn'],
        [[{ isbn: 'x' }, {}, { isbn: 'x' }], [2], 'isbn'],
        [
          [
            { title: 'two', year: 1 },
            { title: 'two', year: 2 },
          ],
          [1],
          'title',
        ],
        [[{ isbn: 'taken' }, { isbn: 'y' }, { isbn: 'y' }, { isbn: 'taken' }], [0, 2, 3], 'isbn'],
      ];
      for (const [records, rows, column] of table) {
        const answer = await bulk({ records });
        expect(outcome(answer)).toEqual([422, 'ConstraintViolation']);
        expect(answer.body.details).toMatchObject(rows.map(row => ({ row, column })));
      }
      const answer = await bulk({ records: [{ isbn: 'taken', code: 1 }, { code: 2 }, { code: 2 }] });
      const told = answer.body.details.map(({ row, column }: { row: number; column: string }) => [
        row,
        column,
      ]);
      expect(told).toEqual([
        [0, 'isbn'],
        [2, 'code'],
      ]);
      expect(await written(app, books)).toEqual(before);
    });
  });

  describe('upsert_key', () => {
    it('updates existing records field by field and inserts the others, in one event', async () => {
      const collection = await library();
      const [id] = await insert(app, collection, { ...EMMA, isbn: 'a', code: 1 });
      const before = await read(app, collection, id as string);
      const { status, body } = await bulk(
        {
          upsert_key: 'isbn',
          records: [
            { isbn: 'b', title: 'Ulysses', city: 'Dublin' },
            { isbn: 'a', price: 9, lent: null, shelf: 8 },
          ],
        },
        collection,
      );
      expect([status, body]).toEqual([201, { inserted: 2, mode: 'upsert', collection_id: collection.id }]);
      const after = await read(app, collection, id as string);
      expect(after).toEqual({ ...before, price: 9, lent: null, shelf: 8, updated_at: after.updated_at });
      expect(after.updated_at >= before.updated_at).toBe(true);
      const found = await search(app, collection, { sort: { isbn: 1 } });
      expect(found.records).toMatchObject([{ _id: id }, { isbn: 'b', title: 'Ulysses', city: 'Dublin' }]);
      const [event] = (await eventsOf(app, collection)).slice(2);
      expect(event).toMatchObject({ type: 'collections.records.upserted', count: 2 });
      expect(new Set(event?.record_ids)).toEqual(new Set([id, found.records[1]._id]));
      expect(await eventsOf(app, collection)).toHaveLength(3);
    });

    it('merges records with the same key into one, later values over earlier ones', async () => {
      const collection = await library();
      const records = [
        { isbn: 'a', title: 'first', a: 1 },
        { isbn: 'a', year: 2, b: 2 },
        { isbn: 'a', title: 'last', a: 3 },
      ];
      expect((await bulk({ upsert_key: 'isbn', records }, collection)).status).toBe(201);
      const found = await search(app, collection);
      expect(found.records).toMatchObject([{ isbn: 'a', title: 'last', year: 2, a: 3, b: 2 }]);
    });

    it('can be repeated: the second time adds nothing', async () => {
      const collection = await library();
      const records = Array.from({ length: 100 }, (_, n) => ({ isbn: `i${n}`, n }));
      await bulk({ upsert_key: 'isbn', records }, collection);
      expect((await bulk({ upsert_key: 'isbn', records }, collection)).body.inserted).toBe(100);
      expect((await search(app, collection, { with_total: true })).total).toBe(100);
    });

    it('is exact when many clients send the same keys at once', async () => {
      const collection = await library();
      const records = Array.from({ length: 20 }, (_, n) => ({ isbn: `i${n}` }));
      const answers = await Promise.all(
        Array.from({ length: 10 }, (_, sender) =>
          bulk(
            { upsert_key: 'isbn', records: records.map(record => ({ ...record, [`by${sender}`]: true })) },
            collection,
          ),
        ),
      );
      expect(new Set(answers.map(answer => answer.status))).toEqual(new Set([201]));
      const found = await search(app, collection, { with_total: true, limit: 100 });
      expect(found.total).toBe(20);
      for (let sender = 0; sender < 10; sender++)
        expect(found.records[7]).toHaveProperty(`by${sender}`, true);
      expect((await eventsOf(app, collection)).filter(({ type }) => type.endsWith('upserted'))).toHaveLength(
        10,
      );
    });

    it('refuses the whole batch if another unique would be violated, and names the rows, not those that keep their value', async () => {
      const collection = await library();
      await insert(app, collection, { isbn: 'a', code: 1 }, { isbn: 'b', code: 2 });
      const before = await written(app, collection);
      const answer = await bulk(
        {
          upsert_key: 'isbn',
          records: [
            { isbn: 'c' },
            { isbn: 'a', code: 2 },
            { isbn: 'b', code: 2 },
            { isbn: 'd', code: 3 },
            { isbn: 'd', code: 3 },
          ],
        },
        collection,
      );
      expect(outcome(answer)).toEqual([422, 'ConstraintViolation']);
      expect(answer.body.details).toMatchObject([{ row: 1, column: 'code' }]);
      expect(await written(app, collection)).toEqual(before);
    });

    it.each<[string, unknown]>([
      ['a record without the key', { isbn: undefined }],
      ['a null key', { isbn: null }],
      ['a key of another type', { isbn: 7 }],
    ])('refuses %s with 422', async (_, record) => {
      const before = await written(app, books);
      const answer = await bulk({ upsert_key: 'isbn', records: [{ isbn: 'ok' }, record] });
      expect(outcome(answer)).toEqual([422, 'BatchRejected']);
      expect(answer.body.details).toMatchObject([{ row: 1, column: 'isbn' }]);
      expect(await written(app, books)).toEqual(before);
    });

    it.each(['price', 'title', 'unknown', '_id', 'c9', 'toString', '', "isbn'; --", 7, null, ['isbn']])(
      'refuses the key %j',
      async key => {
        const answer = await bulk({ upsert_key: key, records: [{ isbn: 'x' }] });
        expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
        expect(answer.body.message).toContain('upsert_key');
      },
    );

    it('refuses with 400 a record that grows beyond 16 MiB by several upserts, and names its row', async () => {
      const collection = await library();
      const part = 'x'.repeat(6_000_000);
      const upsert = (records: object[]) => bulk({ upsert_key: 'isbn', records }, collection);
      expect((await upsert([{ isbn: 'long', a: part }])).status).toBe(201);
      expect((await upsert([{ isbn: 'long', b: part }])).status).toBe(201);
      const before = await written(app, collection);
      const answer = await upsert([{ isbn: 'new' }, { isbn: 'long', c: part }]);
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.message).toContain('records.1');
      expect(answer.body.details).toEqual([
        { row: 1, column: null, problem: 'the record would be larger than 16 MiB' },
      ]);
      expect(await written(app, collection)).toEqual(before);
      expect((await upsert([{ isbn: 'long', a: null, c: part }])).status).toBe(201);
    }, 60_000);
  });

  it('never fails because others send the same keys in another order', async () => {
    const collection = await library();
    const keys = Array.from({ length: 300 }, (_, n) => `i${n}`);
    // Each sender starts at another key, and every second one sends them in reverse order.
    const sent = Array.from({ length: 12 }, (_, sender) => {
      const turned = [...keys.slice(sender * 25), ...keys.slice(0, sender * 25)];
      return (sender % 2 === 0 ? turned : turned.reverse()).map(isbn => ({ isbn }));
    });
    const appended = await Promise.all(sent.map(records => bulk({ records }, collection)));
    expect(appended.map(answer => answer.status).sort()).toEqual([201, ...Array(11).fill(422)]);
    const upserted = await Promise.all(
      Array.from({ length: 5 }, () => sent)
        .flat()
        .map(records => bulk({ records, upsert_key: 'isbn' }, collection)),
    );
    expect(upserted.map(answer => answer.status)).toEqual(Array(60).fill(201));
    expect((await written(app, collection))[0]).toBe(300);
  });

  it.each<[string, unknown]>([
    ['no records', {}],
    ['an empty list', { records: [] }],
    ['5,001 records', { records: Array.from({ length: 5001 }, () => ({})) }],
    ['one record without a list', { records: {} }],
    ['text', { records: 'x' }],
    ['null', { records: null }],
    ['a list of numbers', { records: [1] }],
    ['null in the list', { records: [null] }],
    ['an unknown property', { records: [{}], ttl_days: 1 }],
    ['no object', [{}]],
  ])('refuses %s with 400', async (_, body) => {
    const before = await written(app, books);
    expect(outcome(await bulk(body))).toEqual([400, 'InvalidArguments']);
    expect(await written(app, books)).toEqual(before);
  });
});
