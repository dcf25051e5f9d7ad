import { NetworkError } from '@typed-collections/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { type FlakyLink, openFlakyLink } from './flaky-link.js';
import { booksOf, failureOf, newLibrary, type TestLibrary } from './library.js';

let library: TestLibrary;
let link: FlakyLink;
/** The collection through a link that breaks. */
let books: TestLibrary['books'];
let retried: number;
beforeEach(async () => {
  library = await newLibrary();
  link = await openFlakyLink(library.app.url);
  retried = 0;
  const onRetry = () => {
    retried += 1;
  };
  books = library.connect({ url: link.url, retry: { baseMs: 5 }, onRetry }).collection('books');
});

/** Events of the audit log: one for each write that was committed. */
async function events(): Promise<number> {
  const [{ count }] = await library.app.sql(
    `SELECT count(*)::int FROM org_${library.collection.orgId.replaceAll('-', '')}.audit_events
     WHERE starts_with(type, 'collections.records.')`,
  );
  return count;
}

describe('when the connection breaks after the service has committed, the repeated write is done once:', () => {
  const writes: Record<string, () => Promise<unknown>> = {
    insert: () => books.insert({ title: 'Persuasion' }),
    bulk: () => books.bulk(booksOf(10)),
    batch: () => books.batch([{ insert: { title: 'Persuasion' } }]),
    update: async () => books.update((await library.books.first())?._id as string, { $inc: { year: 1 } }),
    updateMany: () => books.updateMany({ title: 'Emma' }, { $inc: { year: 1 } }),
    upsert: () => books.upsert({ $inc: { year: 1 }, $set: { isbn: '1' } }, { matchFields: ['isbn'] }),
    delete: async () => books.delete((await library.books.first())?._id as string),
    import: () => books.import('title\nSanditon\n'),
  };

  it.each(Object.keys(writes))('%s', async name => {
    await library.books.insert({ title: 'Emma', year: 1815, isbn: '1' });
    const [before, count] = [await events(), await library.books.count()];
    link.loseResponses(2);
    const answer = await (writes[name] as () => Promise<unknown>)();
    expect(retried).toBe(2);
    expect(await events()).toBe(before + 1);
    const added = { insert: 1, batch: 1, bulk: 10, delete: -1, import: 1 }[name] ?? 0;
    expect(await library.books.count()).toBe(count + added);
    if (added === 0) expect((await library.books.first())?.year).toBe(1816);
    if (name === 'delete') expect(answer).toEqual({ deleted_count: 1 });
  });
});

it('a response that is cut off in its middle is requested again', async () => {
  await library.books.insert(booksOf(100));
  link.loseResponses(1, 700);
  expect(await books.find().toArray()).toHaveLength(100);
  expect(retried).toBe(1);
});

it('a failure that lasts is thrown after the last attempt, with its cause', async () => {
  link.loseResponses(99);
  const failure = await failureOf(books.count());
  expect(failure).toBeInstanceOf(NetworkError);
  expect(failure.cause).toBeInstanceOf(Error);
  expect([failure.status, retried]).toEqual([0, 3]);
});

it('a stream is not sent again, and the call says that it failed', async () => {
  link.loseResponses(1);
  const stream = new Blob(['title\nSanditon\n']).stream();
  expect(await failureOf(books.import(stream))).toBeInstanceOf(NetworkError);
  expect(retried).toBe(0);
});

it('a bulk write that failed goes on with the part of which nothing is known, and writes it once', async () => {
  const once = library
    .connect({ url: link.url, retry: { attempts: 1 }, onRequest: () => void link.loseResponses(1) })
    .collection('books');
  const failure = await failureOf(once.bulk(booksOf(10)));
  expect(failure).toMatchObject({ code: 'NetworkError', done: 0 });
  expect(await library.books.count()).toBe(10);
  const { idempotencyKey } = failure as unknown as { idempotencyKey: string };
  link.loseResponses(0);
  expect(await books.bulk(booksOf(10), { idempotencyKey })).toEqual({ inserted: 10, parts: 1 });
  expect(await library.books.count()).toBe(10);
});
