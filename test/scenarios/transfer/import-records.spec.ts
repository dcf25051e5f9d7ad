import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  EMMA,
  eventsOf,
  expire,
  type Home,
  insert,
  newHome,
  newTypedCollection,
  outcome,
  search,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { FORBIDDEN, UNFITTING } from '../records/typed-values.js';
import { importFile, NDJSON, newLibrary, numbered } from './transfer.js';

const SYSTEM = { _id: expect.any(String), created_at: expect.any(String), updated_at: expect.any(String) };

describe('POST /v1/collections/{collection_id}/import', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home);
  });
  const records = async (collection: TestCollection) =>
    (await search(app, collection, { limit: 100 })).records;

  describe('a CSV file', () => {
    it('becomes records with the types of the schema, in its order, in one event', async () => {
      const collection = await newTypedCollection(app, home);
      const file =
        'title,year,price,lent,printed,read_at,details,tags,shelf,_id,created_at,owner_id\r\n' +
        '"Emma, ""1815""",1815,12.5,FALSE,1815-12-23,2026-01-31T10:30:00.25+01:00,"{""a"":[1]}","[""x""]",7,mine,1999,me\r\n' +
        ',,,,,,,,,,,\r\n' +
        '"",0,-1e-3,true,,,null,[],"",,,\r\n';
      const { status, headers, lines } = await importFile(app, collection, file);
      expect([status, headers.get('content-type')]).toEqual([200, 'application/x-ndjson; charset=utf-8']);
      const counts = {
        rows: 3,
        inserted: 3,
        updated: 0,
        skipped: 0,
        ignored: ['_id', 'created_at', 'owner_id'],
        as_text: ['shelf'],
        errors: [],
      };
      expect(lines).toEqual([{ done: true, ok: true, mode: 'append', dry_run: false, ...counts }]);
      const found = await records(collection);
      const nothing = { price: null, lent: null, printed: null, read_at: null, details: null, tags: null };
      expect(found).toEqual([
        {
          ...SYSTEM,
          title: 'Emma, "1815"',
          year: 1815,
          price: 12.5,
          lent: false,
          printed: '1815-12-23',
          read_at: '2026-01-31T09:30:00.250Z',
          details: { a: [1] },
          tags: ['x'],
          shelf: '7',
        },
        { ...SYSTEM, title: null, year: null, ...nothing },
        { ...SYSTEM, ...nothing, title: '', year: 0, price: -0.001, lent: true, tags: [], shelf: '' },
      ]);
      expect(found[0].created_at).not.toBe('1999');
      const events = (await eventsOf(app, collection)).slice(1);
      expect(events).toMatchObject([
        {
          type: 'collections.records.inserted',
          actor: { via: 'rest' },
          target: { id: collection.id, name: collection.name },
          count: 3,
          record_ids: found.map(({ _id }: { _id: string }) => _id),
        },
      ]);
    });

    it('is imported with the names of fields that stay texts, and of those whose numbers lose digits', async () => {
      const collection = await newTypedCollection(app, home);
      const file =
        'n,lent,is,list,object,zip,mixed,none,price,details,_id\n' +
        '7,true,true,"[1, 2]",{},007,1,,9007199254740992,"{""id"": -9007199254740993}",1\n' +
        '-2.5e3,,FALSE,[],"{""a"": 1}",010,x,,0.12345678901234567,[1152921504606846976],2\n' +
        '"",,,,,12345678901234567890,,,,"""9007199254740993""",\n';
      expect((await importFile(app, collection, file)).last).toMatchObject({
        inserted: 3,
        ignored: ['_id'],
        as_text: ['n', 'is', 'list', 'object'],
        rounded: ['details'],
      });
    });

    it.each([
      ['semicolons', 'title;year\na,b;1\n'],
      ['tabs', 'title\tyear\na,b\t1\n'],
      ['commas', 'title,year\n"a,b",1\n'],
      ['a byte order mark', '\ufefftitle,year\n"a,b",1\n'],
      ['bars', 'title|year\na,b|1\n'],
      ['a first line that names the delimiter', 'sep=;\r\ntitle;year\r\na,b;1\r\n'],
      [
        'a first line that names a delimiter, not the most frequent one',
        '"sep=|"\ntitle|year|a,b,c,d\na,b|1|\n',
      ],
      ['CR LF and no line end at its end', 'title,year\r\n"a,b",1'],
    ])('may have %s', async (_, file) => {
      const collection = await newTypedCollection(app, home);
      expect((await importFile(app, collection, file)).last).toMatchObject({ ok: true, inserted: 1 });
      expect(await records(collection)).toMatchObject([{ title: 'a,b', year: 1 }]);
    });

    it.each([
      ['text/tab-separated-values', 'title\tyear\ta,b,c\na,b\t1\t\n'],
      ['text/tab-separated-values; charset=utf-8', 'title\tyear\na,b\t1\n'],
      ['application/jsonl', '{"title":"a,b","year":1}\n'],
    ])('may be %s', async (type, file) => {
      const collection = await newTypedCollection(app, home);
      expect((await importFile(app, collection, file, { type })).last).toMatchObject({
        ok: true,
        inserted: 1,
      });
      expect(await records(collection)).toMatchObject([{ title: 'a,b', year: 1 }]);
    });

    it('may contain no record; then nothing is written and no event', async () => {
      const before = await written(app, books);
      expect((await importFile(app, books, 'title,year\n')).last).toMatchObject({ ok: true, rows: 0 });
      expect(await written(app, books)).toEqual(before);
    });

    it.each([
      ['no line', '', 'empty'],
      ['a repeated name', 'title,year,title\na,1,b\n', 'twice'],
      ['an empty name', 'title,\na,b\n', 'empty'],
      ['__proto__', '__proto__,title\nx,y\n', '__proto__'],
      ['a dot', 'a.b\nx\n', "'.'"],
      ['NUL', 'a\0b\nx\n', 'NUL'],
    ])('is refused for a header with %s', async (_, file, says) => {
      const before = await written(app, books);
      for (const on_error of ['abort', 'skip']) {
        const answer = await importFile(app, books, file, { query: { on_error } });
        expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
        expect(answer.body.message).toContain(says);
      }
      expect(await written(app, books)).toEqual(before);
    });
  });

  describe('JSON lines', () => {
    it('become records unchanged', async () => {
      const collection = await newTypedCollection(app, home);
      const file = `${JSON.stringify(EMMA)}\n\n{"shelf":{"deep":[1,null,"x"]}}\r\n`;
      expect((await importFile(app, collection, file, { type: NDJSON })).last).toMatchObject({ inserted: 2 });
      expect(await records(collection)).toMatchObject([EMMA, { shelf: { deep: [1, null, 'x'] } }]);
    });

    it.each(UNFITTING)('are refused as a whole for %s: %j', async (column, sent, expects) => {
      const before = await written(app, books);
      const file = [{}, { title: 'fits' }, { [column]: sent }].map(each => JSON.stringify(each)).join('\n');
      const answer = await importFile(app, books, file, { type: NDJSON });
      expect(outcome(answer)).toEqual([422, 'BatchRejected']);
      expect(answer.body.details).toEqual([{ row: 3, column, problem: expect.stringContaining(expects) }]);
      expect(answer.body.message).toContain(`row 3, ${column}`);
      expect(await written(app, books)).toEqual(before);
    });

    it.each(FORBIDDEN)('are refused as a whole for %s', async (_, record, says) => {
      const before = await written(app, books);
      const answer = await importFile(app, books, `{"title":"fits"}\n${record}`, { type: NDJSON });
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.details).toMatchObject([{ row: 2 }]);
      expect(answer.body.message).toContain(says);
      expect(await written(app, books)).toEqual(before);
    });

    it('are imported with the names of fields whose whole numbers lose digits', async () => {
      const lines = [
        '{"title":"fits","id":9007199254740993,"deep":{"ids":[1,-12345678901234567890]},"text":"9007199254740993"}',
        '{"exact":[9007199254740992,1152921504606846976,1e300],"part":0.30000000000000004}',
        '{"year":"x","other":9007199254740993}',
      ];
      const query = { on_error: 'skip' };
      const { last } = await importFile(app, books, lines[0] as string, { type: NDJSON, query });
      expect(last).toMatchObject({ inserted: 1, rounded: ['id', 'deep'] });
      expect(last).not.toHaveProperty('as_text');
      const { last: none } = await importFile(app, books, lines.slice(1).join('\n'), { type: NDJSON, query });
      expect([none.inserted, none.skipped, none.rounded]).toEqual([1, 1, undefined]);
    });

    it.each(['[1]', '1', 'null', '{"a":', '{"a":1} x'])('are refused for the line %s', async line => {
      const answer = await importFile(app, books, `{}\n${line}\n`, { type: NDJSON });
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.details).toMatchObject([{ row: 2, column: null }]);
    });
  });

  it('may be gzip, also with several members', async () => {
    const collection = await newTypedCollection(app, home);
    const file = Buffer.concat([gzipSync('title\na\n'), gzipSync('b\n')]);
    expect((await importFile(app, collection, file, { encoding: 'gzip' })).last).toMatchObject({
      inserted: 2,
    });
    expect(await records(collection)).toMatchObject([{ title: 'a' }, { title: 'b' }]);
  });

  describe('on_error=abort', () => {
    it('reports the first 100 errors by row and column', async () => {
      const file = `year,lent\n${'x,y\n'.repeat(200)}`;
      const { body } = await importFile(app, books, file);
      expect(body.details).toHaveLength(100);
      expect(body.details.slice(0, 3)).toMatchObject([
        { row: 1, column: 'year' },
        { row: 1, column: 'lent' },
        { row: 2, column: 'year' },
      ]);
    });

    it.each([
      ['an existing value', 'a,1\ntaken,2\nb,3\n', [2], 'isbn'],
      ['a repeated value in the file', 'a,1\nb,2\na,3\na,4\n', [3, 4], 'isbn'],
      ['a violation of another unique', 'a,1\nb,1\n', [2], 'code'],
    ])('writes nothing for %s, and names the rows', async (_, rows, offenders, column) => {
      const collection = await newLibrary(app, home);
      await insert(app, collection, { isbn: 'taken' });
      const before = await written(app, collection);
      const answer = await importFile(app, collection, `isbn,code\n${rows}`);
      expect(outcome(answer)).toEqual([422, 'ConstraintViolation']);
      expect(answer.body.details).toMatchObject(offenders.map(row => ({ row, column })));
      expect(await written(app, collection)).toEqual(before);
    });

    it('finds duplicate rows at any distance', async () => {
      const collection = await newLibrary(app, home);
      const file = `title,code,isbn\n${numbered(1, 2_500)}x,0,i7\n`;
      const answer = await importFile(app, collection, file);
      expect(answer.body.details).toMatchObject([{ row: 2_501, column: 'isbn' }]);
      expect((await written(app, collection))[0]).toBe(0);
    });
  });

  describe('on_error=skip', () => {
    it('leaves out invalid rows with the reason, and logs the written records', async () => {
      const collection = await newLibrary(app, home);
      await insert(app, collection, { isbn: 'taken', code: 9 });
      const file = 'isbn,code\na,1\ntaken,2\nb,x\nc,9\nd\ne,"5"x\na,6\n,\nf,7\n';
      const { last } = await importFile(app, collection, file, { query: { on_error: 'skip' } });
      expect(last).toMatchObject({ ok: true, rows: 9, inserted: 3, updated: 0, skipped: 6 });
      expect(last.errors).toEqual([
        { row: 2, column: 'isbn', problem: expect.stringContaining('unique') },
        { row: 3, column: 'code', problem: expect.stringContaining('integer') },
        { row: 4, column: 'code', problem: expect.stringContaining('unique') },
        { row: 5, column: null, problem: expect.stringContaining('fields') },
        { row: 6, column: null, problem: expect.stringContaining('quote') },
        { row: 7, column: 'isbn', problem: expect.stringContaining('unique') },
      ]);
      const found = await records(collection);
      expect(found.slice(1).map(({ isbn }: { isbn: string }) => isbn)).toEqual(['a', null, 'f']);
      const events = (await eventsOf(app, collection)).slice(2);
      expect(events).toMatchObject([{ type: 'collections.records.inserted', count: 3 }]);
      expect(events[0]?.record_ids).toEqual(found.slice(1).map(({ _id }: { _id: string }) => _id));
    });

    it('counts all errors and reports the first 100', async () => {
      const file = `year\n${'x\n'.repeat(150)}1\n`;
      const { last } = await importFile(app, books, file, { query: { on_error: 'skip', dry_run: 'true' } });
      expect(last).toMatchObject({ rows: 151, inserted: 1, skipped: 150 });
      expect(last.errors.map(({ row }: { row: number }) => row)).toEqual(
        Array.from({ length: 100 }, (_, index) => index + 1),
      );
    });

    it('leaves out a value that is too long for its index, and no other row', async () => {
      const collection = await newLibrary(app, home);
      const long = Array.from({ length: 9_000 }, (_, n) => n.toString(36)).join('');
      const file = `isbn\na\n${long}\nb\n`;
      const modes: Record<string, string>[] = [{ mode: 'append' }, { mode: 'upsert', upsert_key: 'isbn' }];
      for (const query of modes) {
        const { last } = await importFile(app, collection, file, {
          query: { on_error: 'skip', dry_run: 'true', ...query },
        });
        expect(last).toMatchObject({ inserted: 2, skipped: 1, errors: [{ row: 2 }] });
      }
      const answer = await importFile(app, collection, file);
      expect(outcome(answer)).toEqual([400, 'ValueTooLong']);
      expect((await written(app, collection))[0]).toBe(0);
    });
  });

  describe('mode=upsert', () => {
    const query = { mode: 'upsert', upsert_key: 'isbn' };

    it('updates existing records field by field and inserts the others, in one event', async () => {
      const collection = await newLibrary(app, home);
      const [id] = await insert(
        app,
        collection,
        { isbn: 'a', title: 'old', year: 1, shelf: 7 },
        { isbn: 'z' },
      );
      const file = 'isbn,year,city\nb,2,Dublin\na,,\n';
      const { last } = await importFile(app, collection, file, { query });
      expect(last).toMatchObject({ ok: true, mode: 'upsert', rows: 2, inserted: 1, updated: 1, skipped: 0 });
      const found = await records(collection);
      expect(found).toMatchObject([
        { _id: id, isbn: 'a', title: 'old', year: null, shelf: 7 },
        { isbn: 'z' },
        { isbn: 'b', title: null, year: 2, city: 'Dublin' },
      ]);
      expect(found[0]).not.toHaveProperty('city');
      const events = (await eventsOf(app, collection)).slice(2);
      expect(events).toMatchObject([{ type: 'collections.records.upserted', count: 2 }]);
      expect(new Set(events[0]?.record_ids)).toEqual(new Set([id, found[2]._id]));
    });

    it('merges rows with the same key, later values over earlier ones, at any distance, and counts a record once', async () => {
      const collection = await newLibrary(app, home);
      const line = (isbn: string, more: object) => JSON.stringify({ isbn, ...more });
      const filling = Array.from({ length: 1_500 }, (_, n) => line(`f${n}`, {}));
      const file = [
        line('a', { title: 'first', x: 1 }),
        line('a', { year: 2, y: 1 }),
        ...filling,
        line('a', { title: 'last', x: 2 }),
      ];
      const { last } = await importFile(app, collection, file.join('\n'), { query, type: NDJSON });
      expect(last).toMatchObject({ rows: 1_503, inserted: 1_501, updated: 0 });
      const { records: found } = await search(app, collection, { filter: { isbn: 'a' } });
      expect(found).toMatchObject([{ title: 'last', year: 2, x: 2, y: 1 }]);
      expect((await eventsOf(app, collection)).at(-1)).toMatchObject({ count: 1_501 });
    });

    it('requires the key in every row', async () => {
      const before = await written(app, books);
      const collection = await newLibrary(app, home);
      const answer = await importFile(app, collection, 'isbn,year\na,1\n,2\n', { query });
      expect(outcome(answer)).toEqual([422, 'BatchRejected']);
      expect(answer.body.details).toMatchObject([{ row: 2, column: 'isbn' }]);
      expect(await written(app, books)).toEqual(before);
    });

    it('writes nothing if another unique would be violated, or leaves that row out', async () => {
      const collection = await newLibrary(app, home);
      await insert(app, collection, { isbn: 'a', code: 1 }, { isbn: 'b', code: 2 });
      const before = await written(app, collection);
      const file = 'isbn,code\nc,3\nb,1\nd,4\n';
      const refused = await importFile(app, collection, file, { query });
      expect(outcome(refused)).toEqual([422, 'ConstraintViolation']);
      expect(refused.body.details).toMatchObject([{ row: 2, column: 'code' }]);
      expect(await written(app, collection)).toEqual(before);
      const { last } = await importFile(app, collection, file, { query: { ...query, on_error: 'skip' } });
      expect(last).toMatchObject({
        inserted: 2,
        updated: 0,
        skipped: 1,
        errors: [{ row: 2, column: 'code' }],
      });
      expect(await records(collection)).toMatchObject([
        { isbn: 'a' },
        { isbn: 'b', code: 2 },
        { isbn: 'c' },
        { isbn: 'd' },
      ]);
    });

    it('is exact when many clients send the same keys at once', async () => {
      const collection = await newLibrary(app, home);
      const rows = Array.from({ length: 50 }, (_, n) => `k${n}`);
      const answers = await Promise.all(
        Array.from({ length: 8 }, (_, sender) => {
          const order = sender % 2 === 0 ? rows : rows.toReversed();
          const file = `isbn,by${sender}\n${order.map(key => `${key},yes\n`).join('')}`;
          return importFile(app, collection, file, { query });
        }),
      );
      expect(answers.map(({ last }) => last?.ok)).toEqual(answers.map(() => true));
      const inserted = answers.reduce((sum, { last }) => sum + last.inserted, 0);
      const { records: found, total } = await search(app, collection, { with_total: true });
      expect([inserted, total]).toEqual([50, 50]);
      for (let sender = 0; sender < 8; sender++) expect(found[0]).toHaveProperty(`by${sender}`, 'yes');
      expect((await eventsOf(app, collection)).filter(({ type }) => type.endsWith('upserted'))).toHaveLength(
        8,
      );
    });
  });

  it('dry_run=true reports the outcome and changes nothing', async () => {
    const collection = await newLibrary(app, home);
    await insert(app, collection, { isbn: 'a', title: 'old' });
    const before = await written(app, collection);
    const file = 'isbn,title\na,new\nb,new\n';
    const dry = { dry_run: 'true' };
    const upsert = await importFile(app, collection, file, {
      query: { ...dry, mode: 'upsert', upsert_key: 'isbn' },
    });
    expect(upsert.last).toMatchObject({ ok: true, dry_run: true, inserted: 1, updated: 1 });
    const skip = await importFile(app, collection, file, { query: { ...dry, on_error: 'skip' } });
    expect(skip.last).toMatchObject({ ok: true, dry_run: true, inserted: 1, skipped: 1 });
    expect((await importFile(app, collection, file, { query: dry })).status).toBe(422);
    expect(await written(app, collection)).toEqual(before);
    expect(await records(collection)).toMatchObject([{ title: 'old' }]);
  });

  it('refuses a record that grows beyond 16 MiB by several upserts; on_error=skip leaves out its row', async () => {
    const collection = await newLibrary(app, home);
    const part = 'x'.repeat(6_000_000);
    const query = { mode: 'upsert', upsert_key: 'isbn' };
    const upsert = (file: string, more = {}) =>
      importFile(app, collection, file, { query: { ...query, ...more } });
    expect((await upsert(`isbn,a\nlong,${part}\n`)).status).toBe(200);
    expect((await upsert(`isbn,b\nlong,${part}\n`)).status).toBe(200);
    const before = await written(app, collection);
    const file = `isbn,c\nnew,1\nlong,${part}\nother,1\n`;
    const refused = await upsert(file);
    expect(outcome(refused)).toEqual([400, 'InvalidArguments']);
    expect(refused.body.message).toContain('16 MiB');
    expect(await written(app, collection)).toEqual(before);
    expect((await upsert(file, { on_error: 'skip' })).last).toMatchObject({
      inserted: 2,
      skipped: 1,
      errors: [{ row: 2, column: null, problem: 'the record would be larger than 16 MiB' }],
    });
  }, 60_000);

  describe('the limits of a collection', () => {
    it('apply to many concurrent imports', async () => {
      const collection = await newTypedCollection(app, home, { settings: { max_records: 10 } });
      const answers = await Promise.all(
        Array.from({ length: 6 }, () => importFile(app, collection, 'title\na\nb\nc\n')),
      );
      expect(answers.map(({ status }) => status).sort()).toEqual([200, 200, 200, 422, 422, 422]);
      expect(answers.filter(({ status }) => status === 422).map(({ body }) => body.error)).toEqual(
        Array.from({ length: 3 }, () => 'CollectionFull'),
      );
      expect((await written(app, collection))[0]).toBe(9);
    });

    it('apply to new records only', async () => {
      const collection = await newLibrary(app, home, { settings: { max_records: 3 } });
      await insert(app, collection, { isbn: 'a' }, { isbn: 'b' });
      const skip = { on_error: 'skip' };
      expect((await importFile(app, collection, 'isbn\na\nb\nc\nc\n', { query: skip })).last).toMatchObject({
        inserted: 1,
      });
      const upsert = { mode: 'upsert', upsert_key: 'isbn' };
      expect((await importFile(app, collection, 'isbn\na\nb\nc\nc\n', { query: upsert })).last).toMatchObject(
        { updated: 3 },
      );
      for (const query of [skip, upsert, {}])
        expect(outcome(await importFile(app, collection, 'isbn\nd\n', { query }))).toEqual([
          422,
          'CollectionFull',
        ]);
      expect((await written(app, collection))[0]).toBe(3);
    });

    it('do not count rows that are left out', async () => {
      const collection = await newLibrary(app, home, { settings: { max_records: 3 } });
      const file = 'isbn\na\nx\nx\nb\nb\n';
      const query = { on_error: 'skip' };
      expect((await importFile(app, collection, file, { query })).last).toMatchObject({
        inserted: 3,
        skipped: 2,
      });
      expect((await importFile(app, collection, file, { query })).last).toMatchObject({
        inserted: 0,
        skipped: 5,
      });
    });

    it('are not used up by a refused import or a dry run', async () => {
      const collection = await newLibrary(app, home, { settings: { max_records: 2 } });
      await importFile(app, collection, 'isbn\na\na\n');
      await importFile(app, collection, 'isbn\na\nb\n', { query: { dry_run: 'true' } });
      expect((await importFile(app, collection, 'isbn\na\nb\n')).last).toMatchObject({
        ok: true,
        inserted: 2,
      });
    });

    it('include expiry: expired records do not block an import, and new records expire', async () => {
      const collection = await newLibrary(app, home, { settings: { max_records: 1, ttl_days: 2 } });
      const ids = await insert(app, collection, { isbn: 'a', title: 'old' });
      await expire(app, collection, ...ids);
      const { last } = await importFile(app, collection, 'isbn,title\na,new\n', {
        query: { mode: 'upsert', upsert_key: 'isbn' },
      });
      expect(last).toMatchObject({ inserted: 1, updated: 0 });
      const [{ days }] = await app.sql(
        `SELECT extract(epoch FROM expires_at - created_at)::float8 / 86400 AS days FROM ${collection.table}`,
      );
      expect(days).toBeCloseTo(2, 2);
    });
  });

  it.each<[string, Record<string, string>]>([
    ['mode', { mode: 'replace' }],
    ['on_error', { on_error: 'ignore' }],
    ['dry_run', { dry_run: 'yes' }],
    ['limit', { limit: '7' }],
    ['upsert_key', { upsert_key: 'isbn' }],
    ['upsert_key', { mode: 'upsert' }],
    ['upsert_key', { mode: 'upsert', upsert_key: 'title' }],
    ['upsert_key', { mode: 'upsert', upsert_key: '_id' }],
  ])('refuses %s like %j', async (name, query) => {
    const collection = await newLibrary(app, home);
    const answer = await importFile(app, collection, 'isbn\na\n', { query });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(name);
    expect((await written(app, collection))[0]).toBe(0);
  });
});
