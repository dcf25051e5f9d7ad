// One use of each part of the client. It runs on every runtime for which the client is meant, also in browsers, so it
// uses web standards only.

/**
 * Uses the collection `books`, which is empty, and returns what the client returned. `redirecting` is an address that
 * redirects every request.
 */
export async function exercise(
  { createClient, NetworkError, RecordNotFoundError },
  { url, key, redirecting },
) {
  const retries = [];
  const client = createClient({ url, key, onRetry: ({ error }) => retries.push(error.code) });
  const books = client.collection('books');
  const since = await books.position();

  const { ids } = await books.insert([
    { title: 'Emma', year: 1815, tags: ['novel'] },
    { title: 'Persuasion', year: 1817 },
  ]);
  const emma = await books.get(ids[0]);
  await books.update(ids[0], { $inc: { year: 1 } }, { ifMatch: emma._etag });
  const missing = await books.get('00000000-0000-7000-8000-000000000000').catch(error => error);

  const lines = Array.from({ length: 500 }, (_, n) => `Book ${n},${n}\n`);
  const file = new Blob(['title,year\n', ...lines], { type: 'text/csv' });
  const progress = [];
  const imported = await books.import(file, { onProgress: each => progress.push(each) });
  const sliced = [];
  await books.import(file, { sliceBytes: 2000, onProgress: ({ bytes }) => sliced.push(bytes) });
  const streamed = await books.import(file.stream());
  const { inserted, parts } = await books.bulk(
    Array.from({ length: 50 }, (_, n) => ({ title: `Part ${n}`, year: -1 })),
    { maxBytes: 1000 },
  );

  let years = 0;
  for await (const { year } of books.find({ title: 'Book 7' }, { pageSize: 2 })) years += year;
  const csv = await books.export({ filter: { year: 1816 }, fields: { _id: 0, title: 1 } }).text();
  let exported = 0;
  for await (const { title } of books.export({ filter: { year: -1 } })) exported += title.length > 0 ? 1 : 0;

  const stop = new AbortController();
  const feed = books.changes({ since, signal: stop.signal });
  const changes = [];
  for await (const { type, record } of feed) {
    changes.push(`${type} ${record.title} ${record.year}`);
    if (changes.length === 3) stop.abort();
  }
  const away = createClient({ url: 'http://127.0.0.1:1', key, retry: { attempts: 1 } });
  const unreachable = await away
    .collection('books')
    .count()
    .catch(error => error);
  const redirected =
    redirecting &&
    (await createClient({ url: redirecting, key })
      .collection('books')
      .count()
      .catch(({ code, status }) => `${code} ${status}`));
  const aborted = await books.count({}, { signal: AbortSignal.abort('enough') }).catch(reason => reason);

  return {
    error: missing instanceof RecordNotFoundError && missing.code,
    unreachable: unreachable instanceof NetworkError,
    aborted,
    redirected,
    imported: [imported.rows, streamed.inserted],
    progress: progress.at(-1),
    slices: new Set(sliced).size,
    bulk: [inserted, parts],
    years,
    csv,
    exported,
    changes,
    retries,
  };
}
