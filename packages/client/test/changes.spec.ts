import { CollectionNotFoundError, UnauthorizedError } from '@typed-collections/client';
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest';
import { newKey } from '../../../test/scenarios/orgs/org.js';
import { openFlakyLink } from './flaky-link.js';
import { booksOf, failureOf, newLibrary, type TestLibrary } from './library.js';

let library: TestLibrary;
let books: TestLibrary['books'];
beforeEach(async () => {
  library = await newLibrary();
  books = library.books;
});

/** A signal that aborts at the end of the test. */
function untilTheEnd(): AbortController {
  const stop = new AbortController();
  onTestFinished(() => stop.abort());
  return stop;
}

it('changes arrive in order, with their records, and end quietly with the signal', async () => {
  const stop = untilTheEnd();
  const feed = books.changes({ since: await books.position(), signal: stop.signal });
  const { ids } = await books.insert({ title: 'Emma' });
  await books.update(ids[0] as string, { year: 1815 });
  await books.delete(ids[0] as string);
  const seen: unknown[] = [];
  for await (const { type, record, id } of feed) {
    seen.push([type, record.title, record.year]);
    expect(feed.position).toBe(id);
    if (seen.length === 3) stop.abort();
  }
  expect(seen).toEqual([
    ['inserted', 'Emma', null],
    ['updated', 'Emma', 1815],
    ['deleted', 'Emma', 1815],
  ]);
});

it('a feed follows by a filter that is too long for an address, and lists from where it was left', async () => {
  const stop = untilTheEnd();
  const filter = { year: { $in: Array.from({ length: 4_000 }, (_, n) => n + 1_000) } };
  const since = await books.position();
  await books.insert([
    { title: 'Beowulf', year: 975 },
    { title: 'Emma', year: 1815 },
  ]);
  for await (const { record } of books.changes({ since, filter, signal: stop.signal })) {
    expect(record.title).toBe('Emma');
    stop.abort();
  }
});

it('a feed reconnects from its position: no gap and no duplicate, however often the connection breaks', async () => {
  const link = await openFlakyLink(library.app.url);
  const { signal } = untilTheEnd();
  // The waits before the reconnections are short.
  const random = vi.spyOn(Math, 'random').mockReturnValue(0.01);
  onTestFinished(() => random.mockRestore());
  const remote = library.connect({ url: link.url, retry: { baseMs: 1 } }).collection('books');
  const feed = remote.changes({ since: await books.position(), signal });
  const years: unknown[] = [];
  await books.insert(booksOf(60).slice(0, 10));
  for await (const { record } of feed) {
    years.push(record.year);
    if (years.length === 60) break;
    if (years.length % 10 > 0) continue;
    link.cut();
    await books.insert(booksOf(60).slice(years.length, years.length + 10));
  }
  expect(years).toEqual(booksOf(60).map(({ year }) => year));
  expect(link.connections).toBeGreaterThanOrEqual(6);
});

it('a feed that is read slowly does not fetch what is not read', async () => {
  const link = await openFlakyLink(library.app.url);
  const remote = library.connect({ url: link.url }).collection('books').loose();
  const since = await books.position();
  const text = 'x'.repeat(40_000);
  await books.loose().bulk(booksOf(500).map(book => ({ ...book, text })));
  let seen = 0;
  for await (const _change of remote.changes({ since, signal: untilTheEnd().signal })) {
    seen += 1;
    if (seen === 1) await new Promise(resolve => setTimeout(resolve, 2000));
    if (seen === 2) expect(link.bytes).toBeLessThan(10_000_000);
    if (seen === 500) break;
  }
  expect(link.bytes).toBeGreaterThan(20_000_000);
});

it('a feed with a filter goes on after the changes that the filter left out', async () => {
  const since = await books.position();
  await books.insert(booksOf(20));
  const { signal } = untilTheEnd();
  const feed = books.changes({ since, filter: { year: { $gte: 19 } }, signal });
  const seen: unknown[] = [];
  for await (const { record } of feed) {
    seen.push(record.year);
    if (seen.length === 2) break;
  }
  expect(seen).toEqual([19, 20]);
  await books.insert({ title: 'Emma', year: 1815 });
  // The same feed can be iterated again: it goes on from its position.
  for await (const { record } of feed) {
    expect(record.title).toBe('Emma');
    break;
  }
});

it('a feed throws the error with which the service ends it', async () => {
  const { id, apiKey } = await newKey(library.app, {
    ...{ id: library.collection.orgId, slug: library.collection.orgSlug },
    ...{ path: `/v2/orgs/${library.collection.orgSlug}`, owner: library.collection.owner as never },
  });
  const other = library.connect({ key: apiKey }).collection('books');
  const reading = (async () => {
    for await (const _change of other.changes({ signal: untilTheEnd().signal }));
  })();
  const ended = failureOf(reading);
  await new Promise(resolve => setTimeout(resolve, 500));
  const path = `/v2/orgs/${library.collection.orgSlug}/api-keys/${id}`;
  await library.app.request('DELETE', path, library.collection.owner);
  expect(await ended).toBeInstanceOf(UnauthorizedError);
});

it('a feed of a collection that is not there fails at once', async () => {
  const none = library.connect().collection('none' as 'books');
  const reading = none.changes({ signal: untilTheEnd().signal })[Symbol.asyncIterator]();
  expect(await failureOf(reading.next())).toBeInstanceOf(CollectionNotFoundError);
});
