import { setTimeout as pause } from 'node:timers/promises';
import {
  BatchConflictError,
  BatchRejectedError,
  ForbiddenError,
  HistoryUnavailableError,
  InvalidArgumentsError,
  type PageOptions,
  PartialWriteError,
  PreconditionFailedError,
  RecordNotFoundError,
  UndoConflictError,
} from '@typed-collections/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { booksOf, failureOf, newLibrary, type TestLibrary } from './library.js';

let library: TestLibrary;
let books: TestLibrary['books'];
beforeEach(async () => {
  library = await newLibrary();
  books = library.books;
});

describe('one record', () => {
  it('is inserted, read, changed with its tag, and deleted', async () => {
    const { inserted_count, ids } = await books.insert({ title: 'Emma', year: 1815, shelf: 7 });
    const [id] = ids as [string];
    expect(inserted_count).toBe(1);
    const emma = await books.get(id);
    expect(emma).toMatchObject({ _id: id, title: 'Emma', year: 1815, shelf: 7, tags: null });
    expect(await books.update(id, { $inc: { year: 1 } }, { ifMatch: emma._etag })).toEqual({
      matched_count: 1,
      updated_count: 1,
    });
    const late = await failureOf(books.update(id, { year: 1 }, { ifMatch: emma._etag }));
    expect(late).toBeInstanceOf(PreconditionFailedError);
    expect(await failureOf(books.delete(id, { ifMatch: emma._etag }))).toMatchObject({ status: 412 });
    const now = await books.get(id);
    expect(await books.get(id, { ifNoneMatch: now._etag })).toBeUndefined();
    expect((await books.get(id, { ifNoneMatch: emma._etag }))?.year).toBe(1816);
    expect(await books.delete(id, { ifMatch: now._etag })).toEqual({ deleted_count: 1 });
    expect(await failureOf(books.get(id))).toBeInstanceOf(RecordNotFoundError);
    expect(await failureOf(books.delete(id))).toMatchObject({ code: 'RecordNotFound', status: 404 });
  });

  it('is upserted by the fields that identify it', async () => {
    const emma = { title: 'Emma', isbn: '1' };
    const first = await books.upsert(emma, { matchFields: ['isbn'] });
    expect(first).toMatchObject({ inserted: true });
    expect(await books.upsert({ ...emma, year: 1815 }, { matchFields: ['isbn'] })).toEqual({
      _id: first._id,
      inserted: false,
      matched_count: 1,
      modified_count: 1,
    });
  });

  it('expires after the days of its insert', async () => {
    const { ids } = await books.insert({ title: 'Leaflet' }, { ttlDays: 1 });
    const [{ expires_at }] = await library.app.sql(
      `SELECT expires_at FROM ${library.collection.table} WHERE _id = $1`,
      ids,
    );
    expect(expires_at).toBeInstanceOf(Date);
  });
});

describe('a query', () => {
  beforeEach(() => books.insert(booksOf(250)));

  it('is iterated over all pages, in order, each record once', async () => {
    const years: (number | null)[] = [];
    for await (const { year } of books.find({}, { sort: { year: -1 }, pageSize: 100 })) years.push(year);
    expect(years).toEqual(Array.from({ length: 250 }, (_, index) => 250 - index));
  });

  it('sends nothing until it is read, and requests no page that is not asked for', async () => {
    const paths: string[] = [];
    const counting = library.connect({ onRequest: ({ url }) => paths.push(url) }).collection('books');
    const query = counting.find({ year: { $lte: 150 } }, { pageSize: 10 });
    expect(paths).toHaveLength(0);
    const requests = async (read: () => Promise<unknown>) => {
      paths.length = 0;
      await read();
      return paths.length;
    };
    const until = async (last: number) => {
      for await (const { year } of query) if (year === last) break;
    };
    expect(await requests(() => until(10))).toBe(1);
    expect(await requests(() => until(11))).toBe(2);
    expect(await requests(() => query.pages().next())).toBe(1);
    for (const [max, most] of [
      [1, 1],
      [10, 1],
      [11, 2],
      [20, 2],
      [150, 15],
      [1000, 15],
    ] as const) {
      expect(await requests(() => query.toArray(max)), String(max)).toBe(most);
    }
    expect(await query.toArray(11)).toHaveLength(11);
  });

  it('counts, lists and exports by a filter that is too long for an address', async () => {
    const filter = { year: { $in: Array.from({ length: 5_000 }, (_, n) => n + 249) } };
    expect(await books.find(filter).count()).toBe(2);
    expect(await books.distinct('year', filter)).toEqual([249, 250]);
    const years: (number | null)[] = [];
    for await (const { year } of books.export({ filter, sort: { year: -1 } })) years.push(year);
    expect(years).toEqual([250, 249]);
    expect(await books.export({ filter, fields: { year: 1, _id: 0 } }).text()).toBe('year\r\n249\r\n250\r\n');
  });

  it('stops requesting when the reader stops', async () => {
    const seen: number[] = [];
    const counting = library.connect({ onRequest: ({ attempt }) => seen.push(attempt) }).collection('books');
    for await (const { year } of counting.find({}, { pageSize: 10 })) if (year === 15) break;
    expect(seen).toHaveLength(2);
  });

  it('returns the first record, a page, a count and an array of limited length', async () => {
    const late = books.find({ year: { $gt: 200 } }, { sort: { year: 1 }, fields: ['year'] });
    const first = await late.first();
    expect(Object.keys(first ?? {}).sort()).toEqual(['_id', 'year']);
    expect(first?.year).toBe(201);
    expect(await late.count()).toBe(50);
    const page = await late.page({ page: 2, limit: 20, withTotal: true });
    expect([page.count, page.total, page.records[0]?.year]).toEqual([20, 50, 221]);
    const began = await late.page({ cursor: '', limit: 30 });
    const next = await late.page({ cursor: began.next_cursor as string, limit: 30 });
    expect([next.count, next.next_cursor]).toEqual([20, null]);
    expect(await late.toArray(3)).toHaveLength(3);
    expect(await books.find().toArray()).toHaveLength(250);
    expect(await books.first({ year: 9999 })).toBeUndefined();
    expect(await books.count()).toBe(250);
  });

  it('goes through pages in both directions, from the end or from a value of the sort field', async () => {
    const query = books.find({}, { sort: { year: 1 }, withEtags: true });
    const years = async (options: PageOptions) => {
      const page = await query.page({ limit: 20, ...options });
      return { page, range: [page.records[0]?.year, page.records.at(-1)?.year] };
    };
    const last = await years({ cursor: 'end' });
    expect([last.range, last.page.next_cursor]).toEqual([[231, 250], null]);
    const before = await years({ cursor: last.page.prev_cursor as string });
    expect(before.range).toEqual([211, 230]);
    expect((await years({ cursor: before.page.next_cursor as string })).range).toEqual([231, 250]);
    const inside = await years({ at: 100 });
    expect(inside.range).toEqual([100, 119]);
    expect((await years({ cursor: inside.page.prev_cursor as string })).range).toEqual([80, 99]);
    expect((await years({ cursor: '' })).page.prev_cursor).toBeNull();
    expect(inside.page.records[0]?._etag).toMatch(/^"/);
  });

  it('shows who inserted a record and who wrote it last, on request or by name', async () => {
    const record = await books.first({ year: 1 }, { withAuthors: true, withEtags: true });
    const author: string | null | undefined = record?._created_by;
    expect([record?._updated_by, record?._etag]).toEqual([author, expect.stringMatching(/^"/)]);
    expect(author).toMatch(/^[0-9a-f-]{36}$/);
    const id = record?._id as string;
    expect(await books.get(id, { withAuthors: true })).toEqual(record);
    expect(await books.get(id)).not.toHaveProperty('_created_by');
    const named = await books.first({ _created_by: author as string, year: 1 }, { fields: ['_created_by'] });
    expect(named).toEqual({ _id: id, _created_by: author });
    expect(named?._created_by).toBe(author);
  });

  it('is iterated from a value of the sort field on', async () => {
    const late = books.find({}, { sort: { year: -1 }, at: 30, pageSize: 20 });
    expect((await late.toArray()).map(({ year }) => year)).toEqual(
      Array.from({ length: 30 }, (_, index) => 30 - index),
    );
    expect((await late.first())?.year).toBe(30);
    expect((await late.page({ page: 1 })).records[0]?.year).toBe(250);
  });

  it('ends with the reason of its signal', async () => {
    const stop = new AbortController();
    const reading = async () => {
      for await (const { year } of books.find({}, { pageSize: 10, signal: stop.signal })) {
        if (year === 5) stop.abort(new Error('enough'));
      }
    };
    await expect(reading()).rejects.toThrow('enough');
  });

  it('computes distinct values and aggregates', async () => {
    await books.insert([
      { title: 'Emma', tags: ['novel'] },
      { title: 'Emma', tags: ['novel', 'england'] },
    ]);
    expect(await books.distinct('tags', { title: 'Emma' })).toEqual(['england', 'novel']);
    const results = await books.aggregate({
      steps: [{ type: 'count', output_field: 'copies' }],
      group_by: 'title',
      filter: { title: 'Emma' },
    });
    expect(results).toEqual([{ title: 'Emma', copies: 2 }]);
    const years = await books.aggregate({
      steps: [{ type: 'count_distinct', input_field: 'title', output_field: 'titles' }],
      group_by: { field: 'created_at', every: 'year', zone: 'Europe/Paris', as: 'year' },
      fill: true,
      filter: { title: 'Emma' },
    });
    expect(years).toEqual([{ year: expect.stringMatching(/^20\d\d-01-01$/), titles: 1 }]);
  });

  it('is explained, with the index that it used', async () => {
    const one = await books.find({ isbn: '7' }).explain();
    expect(one).toMatchObject({
      index: { properties: ['isbn'] },
      uses_index: true,
      returned_rows: 0,
      advice: null,
    });
    const page = await books.find({}, { sort: { year: 1 }, pageSize: 30 }).explain({ cursor: '' });
    expect([page.returned_rows, page.scanned_rows]).toEqual([30, 250]);
    const steps = [{ type: 'count', output_field: 'n' }] as const;
    const groups = await books.explainAggregate({ steps, group_by: 'year', limit: 10 });
    expect([groups.returned_rows, groups.scanned_rows]).toEqual([10, 250]);
  });

  it('answers a question', async () => {
    const { data } = await books.ask('How many books are there?');
    expect(data).toEqual({ count: 250 });
  });

  it('is refused with the error of the service', async () => {
    const wrong = await failureOf(books.loose().find({ $where: 'x' }).toArray());
    expect(wrong).toBeInstanceOf(InvalidArgumentsError);
    expect(wrong.name).toBe('InvalidArgumentsError');
    expect(wrong.message).toContain('$where');
    expect(wrong.requestId).toMatch(/./);
  });
});

describe('a read of the past', () => {
  it('answers as at that instant, over all its pages', async () => {
    const { ids } = await books.insert([
      { title: 'Emma', year: 1815 },
      { title: 'Ulysses', year: 1922 },
    ]);
    const [emma, ulysses] = ids as [string, string];
    await pause(5);
    const asOf = new Date().toISOString();
    await pause(5);
    await books.update(emma, { year: 1816 });
    await books.delete(ulysses);
    const past = books.find({}, { asOf, sort: { year: 1 }, pageSize: 1 });
    expect((await past.toArray()).map(({ year }) => year)).toEqual([1815, 1922]);
    expect(await past.count()).toBe(2);
    expect(await books.count({ year: 1815 }, { asOf })).toBe(1);
    const record = await books.get(ulysses, { asOf });
    expect([record.title, record._etag]).toEqual(['Ulysses', undefined]);
    expect((await books.distinct('year', {}, { asOf })).sort()).toEqual([1815, 1922]);
    const count = { steps: [{ type: 'count', output_field: 'books' }] } as const;
    expect(await books.aggregate(count, { asOf })).toEqual([{ books: 2 }]);
    expect((await books.export({ asOf, format: 'ndjson' }).text()).trim().split('\n')).toHaveLength(2);
    expect(await books.count()).toBe(1);
    const early = await failureOf(books.count({}, { asOf: '2001-01-01T00:00:00Z' }));
    expect(early).toBeInstanceOf(HistoryUnavailableError);
  });
});

describe('an undo', () => {
  it('puts back what writes replaced, after a dry run, and says what was written since', async () => {
    const { ids } = await books.insert([{ title: 'Emma', year: 1815 }, { title: 'Ulysses' }]);
    const [emma, ulysses] = ids as [string, string];
    const { event_id: event } = await books.batch([
      { update: { _id: emma, update: { year: 1 } } },
      { delete: { _id: ulysses } },
    ]);
    await books.update(emma, { year: 2 });
    const writes = { eventIds: [event as string] };
    const refused = await failureOf(books.undo(writes));
    expect(refused).toBeInstanceOf(UndoConflictError);
    expect(refused).toMatchObject({ details: [{ record_id: emma, reason: 'changed_since' }] });
    expect(await books.undo(writes, { dryRun: true, onConflict: 'force' })).toMatchObject({
      undone: 2,
      event_id: null,
    });
    const undone = await books.undo(writes, { onConflict: 'skip' });
    expect(undone).toMatchObject({ undone: 1, skipped: 1, event_id: expect.any(String) });
    expect((await books.get(ulysses)).title).toBe('Ulysses');
    expect((await books.get(emma)).year).toBe(2);
  });
});

describe('writes by filter', () => {
  beforeEach(() => books.insert(booksOf(5)));

  it('change all records that match, after a dry run', async () => {
    const dry = await books.updateMany({ year: { $gt: 3 } }, { shelf: 1 }, { dryRun: true });
    expect(dry).toEqual({ matched_count: 2, updated_count: 2, dry_run: true });
    expect(await books.count({ shelf: 1 })).toBe(0);
    await books.updateMany({ year: { $gt: 3 } }, { $set: { shelf: 1 } }, { maxAffected: 2 });
    expect(await books.count({ shelf: 1 })).toBe(2);
    await books.updateMany({}, { shelf: 2 }, { allowMatchAll: true });
    expect(await books.count({ shelf: 2 })).toBe(5);
  });

  it('are refused beyond the limit, and deletes where the service does not allow them', async () => {
    const many = await failureOf(books.updateMany({ year: { $gt: 0 } }, { shelf: 1 }, { maxAffected: 2 }));
    expect(many).toBeInstanceOf(InvalidArgumentsError);
    expect(await failureOf(books.deleteMany({ year: 1 }))).toBeInstanceOf(ForbiddenError);
  });
});

describe('a bulk write', () => {
  it('is split into requests of 5,000 records, in order', async () => {
    const progress: number[] = [];
    const result = await books.bulk(booksOf(12_000), { onProgress: ({ done }) => progress.push(done) });
    expect(result).toEqual({ inserted: 12_000, parts: 3 });
    expect(progress).toEqual([5000, 10_000, 12_000]);
    expect((await books.first({}, { sort: { _id: -1 } }))?.year).toBe(12_000);
    expect(await books.count()).toBe(12_000);
  });

  it('is split by bytes', async () => {
    const sizes: number[] = [];
    const counting = library.connect({
      fetch: (url, init) => {
        sizes.push(new TextEncoder().encode(String(init?.body)).length);
        return fetch(url, init);
      },
    });
    const long = Array.from({ length: 40 }, () => ({ title: 'é'.repeat(1000) }));
    await counting.collection('books').bulk(long, { maxBytes: 10_000 });
    expect(sizes.every(size => size <= 10_020)).toBe(true);
    expect(sizes).toHaveLength(10);
    expect(await books.count()).toBe(40);
  });

  it('says how many records are written when a part fails, and goes on from there', async () => {
    async function* records() {
      for (const book of booksOf(7000)) yield book.year === 6001 ? { ...book, year: 1.5 } : book;
    }
    const failure = (await failureOf(books.bulk(records()))) as PartialWriteError;
    expect(failure).toBeInstanceOf(PartialWriteError);
    expect(failure.cause).toBeInstanceOf(BatchRejectedError);
    expect([failure.code, failure.done, failure.resumeAt]).toEqual(['BatchRejected', 5000, 5000]);
    expect(failure.details).toMatchObject([{ row: 6000, column: 'year' }]);
    const { resumeAt: startAt, idempotencyKey } = failure;
    const rest = await books.bulk(booksOf(7000), { startAt, idempotencyKey });
    expect(rest.inserted).toBe(2000);
    expect(await books.count()).toBe(7000);
    expect(await books.distinct('year', { year: { $gte: 6999 } })).toEqual([6999, 7000]);
  });

  it('updates the records whose key exists', async () => {
    const copies = ['1', '2'].map(isbn => ({ title: 'Emma', isbn }));
    await books.bulk(copies, { upsertKey: 'isbn' });
    await books.bulk(
      copies.map(copy => ({ ...copy, year: 1815 })),
      { upsertKey: 'isbn' },
    );
    expect(await books.count({ year: 1815 })).toBe(2);
  });
});

describe('a batch', () => {
  it('writes all operations or none, and says which one is in conflict', async () => {
    const [emma, draft] = (await books.insert([{ title: 'Emma' }, { title: 'Draft' }])).ids as [
      string,
      string,
    ];
    const { _etag: if_match } = await books.get(emma);
    const operations = [
      { insert: { title: 'Persuasion' } },
      { update: { _id: emma, if_match, update: { year: 1815 } } },
      { delete: { _id: draft } },
    ];
    expect(await books.batch(operations, { dryRun: true })).toMatchObject({ dry_run: true });
    expect(await books.count()).toBe(2);
    const { results } = await books.batch(operations);
    expect(results.map(({ _id }) => _id)).toEqual([expect.any(String), emma, draft]);
    expect((await books.get(emma))._etag).toBe(results[1]?._etag);
    const conflict = await failureOf(books.batch(operations));
    expect(conflict).toBeInstanceOf(BatchConflictError);
    expect(conflict.details).toMatchObject([
      { index: 1, _id: emma },
      { index: 2, _id: draft },
    ]);
    expect(await books.distinct('title')).toEqual(['Emma', 'Persuasion']);
  });
});

describe('a collection', () => {
  it('is found by its name, by its id, and by a name with a known id', async () => {
    await books.insert({ title: 'Emma' });
    const { id } = library.collection;
    const byId = library.connect({ ids: { tomes: id } });
    expect(await byId.collection('tomes' as 'books').count()).toBe(1);
    expect(await byId.collection(id as 'books').count()).toBe(1);
    const none = await failureOf(byId.collection('a/b' as 'books').count());
    expect(none).toMatchObject({ code: 'CollectionNotFound', status: 404 });
  });
});

describe('an id that would lead to another path', () => {
  it.each(['', '.', '..'])('is refused before a request is sent: "%s"', async id => {
    expect(() => library.client.collection(id as 'books')).toThrow(TypeError);
    expect(await failureOf(books.delete(id))).toBeInstanceOf(TypeError);
    expect(await books.count()).toBe(0);
  });
});

describe('a call with a key of its own', () => {
  it('is done once, however often it is made', async () => {
    const once = { idempotencyKey: `key-${Math.random()}` };
    const first = await books.insert({ title: 'Emma' }, once);
    expect(await books.insert({ title: 'Emma' }, once)).toEqual(first);
    expect(await books.count()).toBe(1);
    const other = await failureOf(books.insert({ title: 'Persuasion' }, once));
    expect(other.code).toBe('IdempotencyKeyReused');
  });
});
