import { gzipSync } from 'node:zlib';
import { BatchRejectedError, type ImportProgress, NetworkError } from '@typed-collections/client';
import { beforeEach, describe, expect, it } from 'vitest';
import { openFlakyLink } from './flaky-link.js';
import { booksOf, failureOf, newLibrary, type TestLibrary } from './library.js';

let library: TestLibrary;
let books: TestLibrary['books'];
beforeEach(async () => {
  library = await newLibrary();
  books = library.books;
});

const csvOf = (rows: number) =>
  `title,year\n${booksOf(rows)
    .map(({ title, year }) => `${title},${year}\n`)
    .join('')}`;

describe('an import', () => {
  it('takes text, bytes, a file, a stream and records', async () => {
    const csv = csvOf(2);
    const bytes = new TextEncoder().encode(csv);
    const summaries = [
      await books.import(csv),
      await books.import(bytes),
      await books.import(new Blob([csv])),
      await books.import(new Blob([csv]).stream()),
      await books.import(new Uint8Array(gzipSync(csv)), { encoding: 'gzip' }),
      await books.import(booksOf(2)),
      await books.import(new Blob(['{"title":"a"}\n{"title":"b"}'], { type: 'application/x-ndjson' })),
      await books.import(linesOf(2), { format: 'ndjson' }),
    ];
    const expected = {
      mode: 'append',
      dry_run: false,
      rows: 2,
      inserted: 2,
      updated: 0,
      skipped: 0,
      errors: [],
    };
    expect(summaries).toEqual(summaries.map(() => expected));
    expect(await books.count()).toBe(16);
  });

  it('reports the bytes that are sent and the rows that the service has read', async () => {
    const reports: ImportProgress[] = [];
    const file = new Blob([csvOf(30_000)]);
    await books.import(file, { onProgress: progress => reports.push(progress) });
    const sent = reports.map(({ bytes }) => bytes);
    expect(sent.length).toBeGreaterThan(3);
    expect(sent).toEqual([...sent].sort((a, b) => a - b));
    expect(reports.at(-1)).toEqual({ bytes: file.size, totalBytes: file.size, rows: 30_000, phase: 'done' });
  });

  it('upserts, skips rows, and writes nothing in a dry run', async () => {
    await books.import('title,isbn\nEmma,1\n');
    const file = 'title,isbn,year\nEmma,1,1815\nSanditon,2,unknown\n';
    const options = { upsertKey: 'isbn', onError: 'skip' } as const;
    const dry = await books.import(file, { ...options, dryRun: true });
    expect(dry).toMatchObject({ mode: 'upsert', dry_run: true, updated: 1, skipped: 1 });
    expect((await books.first())?.year).toBeNull();
    const { errors } = await books.import(file, options);
    expect(errors).toMatchObject([{ row: 2, column: 'year' }]);
    expect(await books.count({ year: 1815 })).toBe(1);
  });

  it('throws the refusal of the file with its rows, before and after the service began to respond', async () => {
    const early = await failureOf(books.import('title,year\nEmma,soon\n'));
    expect(early).toBeInstanceOf(BatchRejectedError);
    expect(early.details).toMatchObject([{ row: 1, column: 'year' }]);
    const late = await failureOf(books.import(`${csvOf(20_000)}Emma,soon\n`));
    expect(late).toBeInstanceOf(BatchRejectedError);
    expect(late.details).toMatchObject([{ row: 20_001, column: 'year' }]);
    expect(await books.count()).toBe(0);
  });

  it('ends with its signal and writes nothing', async () => {
    const stop = new AbortController();
    async function* endless() {
      for (const line of csvOf(1000).split('\n')) {
        yield `${line}\n`;
        if (line === 'Book 500,500') stop.abort(new Error('enough'));
      }
    }
    await expect(books.import(endless(), { signal: stop.signal })).rejects.toThrow('enough');
    expect(await books.count()).toBe(0);
  });

  it('throws what its source throws', async () => {
    async function* broken() {
      yield 'title\n';
      throw new Error('the disk is gone');
    }
    await expect(books.import(broken())).rejects.toThrow('the disk is gone');
  });
});

describe('an import in slices', () => {
  const quoted = 'title,year\n"two\nlines, ""quoted""",1\n"5"" disk",2\n"a,b",3\n';

  it('cuts between rows and reports the bytes of each slice', async () => {
    const reports: number[] = [];
    const summary = await books.import(new Blob([quoted]), {
      sliceBytes: 30,
      onProgress: ({ bytes }) => reports.push(bytes),
    });
    expect(summary).toMatchObject({ rows: 3, inserted: 3 });
    expect(await books.distinct('title')).toEqual(['5" disk', 'a,b', 'two\nlines, "quoted"']);
    expect(reports.at(-1)).toBe(quoted.length);
    expect(new Set(reports).size).toBeGreaterThan(2);
  });

  it.each([
    ['whose rows are shorter than its header', 'title,year\na,1\nb,2\nc,3\n'],
    ['with one column', 'title\na\nb\nc\n'],
    ['that names its delimiter', 'sep=|\ntitle|year\na|1\nb|2\nc|3\n'],
  ])('sends each row of a file %s once, and no header as a row', async (_, file) => {
    const summary = await books.import(new Blob([file]), { sliceBytes: 4 });
    expect(summary).toMatchObject({ rows: 3, inserted: 3 });
    expect(await books.distinct('title')).toEqual(['a', 'b', 'c']);
  });

  it('names the fields that any slice names', async () => {
    const file = new Blob(['title,pages,_id,shelf\na,1,7,x\nb,,7,x\n']);
    const { ignored, as_text } = await books.import(file, { sliceBytes: 8 });
    expect([ignored, as_text]).toEqual([['_id'], ['pages']]);
  });

  it('tells what each slice has written, and ends where that is refused', async () => {
    const ends: unknown[] = [];
    const stopped = new Error('stopped');
    const stop = books.import(new Blob([csvOf(6)]), {
      sliceBytes: 20,
      onSlice: ({ rows, inserted }, resumeAt) => {
        ends.push([rows, inserted, resumeAt]);
        if (ends.length === 2) throw stopped;
      },
    });
    await expect(stop).rejects.toBe(stopped);
    const [, [rows, inserted, resumeAt]] = ends as [unknown, number[]];
    expect(inserted).toBe(rows);
    expect(await books.count()).toBe(rows);
    const rest = await books.import(new Blob([csvOf(6)]), { sliceBytes: 20, startAt: resumeAt });
    expect(rest.inserted).toBe(6 - rows!);
  });

  it('numbers the rows of the whole file, and goes on after a failure', async () => {
    const file = (year: string) => new Blob([`${csvOf(6)}Emma,${year}\n`]);
    const failure = await failureOf(books.import(file('soon'), { sliceBytes: 20 }));
    expect(failure).toMatchObject({ name: 'PartialWriteError', code: 'BatchRejected', done: 6 });
    expect(failure.details).toMatchObject([{ row: 7, column: 'year' }]);
    const { resumeAt: startAt, idempotencyKey } = failure as never;
    const rest = await books.import(file('1815'), { sliceBytes: 20, startAt, idempotencyKey });
    expect(rest).toMatchObject({ rows: 1, inserted: 1 });
    expect(await books.count()).toBe(7);
  });
});

describe('an export', () => {
  beforeEach(() => books.insert(booksOf(300)));

  it('is a file or a sequence of records', async () => {
    const options = { fields: { _id: 0, title: 1, year: 1 }, sort: { year: -1 } } as const;
    const csv = await books.export({ ...options, filter: { year: { $lte: 2 } } }).text();
    expect(csv).toBe('title,year\r\nBook 2,2\r\nBook 1,1\r\n');
    const years: (number | null)[] = [];
    for await (const { year } of books.export(options)) years.push(year);
    expect(years).toEqual(booksOf(300).map(({ year }) => 301 - year));
  });

  it('reports its bytes, and moves into an import', async () => {
    const other = await newLibrary();
    let received = 0;
    const source = books.export({
      format: 'ndjson',
      fields: { title: 1, year: 1 },
      onProgress: ({ bytes }) => (received = bytes),
    });
    const { inserted } = await other.books.import(source.stream(), { format: 'ndjson' });
    expect([inserted, await other.books.count()]).toEqual([300, 300]);
    expect(received).toBeGreaterThan(10_000);
  });

  it('that is cut off throws instead of ending', async () => {
    const link = await openFlakyLink(library.app.url);
    const far = library.connect({ url: link.url }).collection('books');
    link.loseResponses(1, 2000);
    expect(await failureOf(far.export().text())).toBeInstanceOf(NetworkError);
  });
});

async function* linesOf(rows: number) {
  for (const book of booksOf(rows)) yield `${JSON.stringify(book)}\n`;
}
