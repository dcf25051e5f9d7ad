import { gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  type Home,
  newHome,
  outcome,
  search,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { newMember } from '../orgs/org.js';
import { importFile, NDJSON, newLibrary, numbered, upload } from './transfer.js';

const MIB = 1024 * 1024;
const LARGE = { settings: { max_records: 100_000 } };
const HEADER = 'title,code,isbn\r\n';

describe('a streamed import', () => {
  let app: TestApp;
  let home: Home;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
  });
  const library = (wanted: object = LARGE) => newLibrary(app, home, wanted);
  const sessions = async () => {
    const [{ count }] = await app.sql(
      `SELECT count(*)::int FROM pg_stat_activity WHERE datname = current_database() AND state <> 'active' AND xact_start IS NOT NULL`,
    );
    return count;
  };
  const settled = async () => {
    while ((await sessions()) > 0) await new Promise(resolve => setTimeout(resolve, 10));
  };

  it('may be larger than any other body, reports progress, and writes one event', async () => {
    const collection = await library();
    const file = HEADER + numbered(0, 20_500, n => `${'x'.repeat(600)} ${n},${n},i${n}`);
    expect(file.length).toBeGreaterThan(10 * MIB);
    const { status, lines } = await importFile(app, collection, file);
    expect(status).toBe(200);
    expect(lines.slice(0, 2)).toEqual([
      { done: false, phase: 'reading', rows: 10_000 },
      { done: false, phase: 'reading', rows: 20_000 },
    ]);
    expect(lines.slice(2, -1).every(line => line.phase === 'writing' && line.done === false)).toBe(true);
    expect(lines.at(-2)).toEqual({ done: false, phase: 'writing', rows: 20_500 });
    expect(lines.at(-1)).toMatchObject({ done: true, ok: true, rows: 20_500, inserted: 20_500 });
    const events = (await eventsOf(app, collection)).slice(1);
    expect(events).toMatchObject([{ type: 'collections.records.inserted', count: 20_500 }]);
    const first = (await search(app, collection, { limit: 100 })).records;
    expect(first[99]).toMatchObject({ code: 99, isbn: 'i99' });
    expect(events[0]?.record_ids).toHaveLength(1_000);
    expect(events[0]?.record_ids?.slice(0, 100)).toEqual(first.map(({ _id }: { _id: string }) => _id));
  });

  it('reports in its last line an error after the first line', async () => {
    const collection = await library();
    const cases: [string, string, object][] = [
      [`${numbered(0, 12_000)}x,bad,y\r\n`, 'BatchRejected', { row: 12_001, column: 'code' }],
      [`${numbered(0, 12_000)}x,,i7\r\n`, 'ConstraintViolation', { row: 12_001, column: 'isbn' }],
    ];
    for (const [rows, error, problem] of cases) {
      const { status, lines, last } = await importFile(app, collection, HEADER + rows);
      expect([status, lines[0].done]).toEqual([200, false]);
      expect(last).toMatchObject({ done: true, ok: false, error, inserted: 0, updated: 0 });
      expect(last.message).toContain('row 12001');
      expect(last.errors).toMatchObject([problem]);
    }
    expect(await written(app, collection)).toEqual([0, 1]);
  });

  it('is refused as soon as it exceeds a limit, before its end', async () => {
    const collection = await library({ settings: { max_records: 100 } });
    const sending = upload(collection, app);
    await sending.send(HEADER + numbered(0, 5_000));
    expect((await sending.answer).statusCode).toBe(422);
    sending.cut();
    expect(await written(app, collection)).toEqual([0, 1]);
  });

  it('delivers a refusal to a client that is still sending', async () => {
    const collection = await library();
    const bad = `${HEADER}x,bad,y\r\n`;
    const { status, body } = await importFile(app, collection, bad + numbered(0, 100_000));
    expect([status, body.error]).toEqual([422, 'BatchRejected']);
  });

  it('leaves nothing behind when the client disconnects', async () => {
    const collection = await library();
    const sending = upload(collection, app);
    await sending.send(HEADER + numbered(0, 15_000));
    expect((await sending.answer).statusCode).toBe(200);
    sending.cut();
    await settled();
    expect(await written(app, collection)).toEqual([0, 1]);
    expect((await importFile(app, collection, HEADER + numbered(0, 3))).last).toMatchObject({ inserted: 3 });
  });

  it('leaves nothing behind when its database connection is lost', async () => {
    const collection = await library();
    const sending = upload(collection, app);
    await sending.send(HEADER + numbered(0, 15_000));
    await sending.answer;
    // Waits until its transaction is idle, because it may be writing a batch at the moment.
    await vi.waitFor(async () => {
      const killed = await app.sql(
        `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database() AND state = 'idle in transaction'`,
      );
      expect(killed.length).toBeGreaterThan(0);
    }, 10_000);
    await sending.send(numbered(15_000, 2_000));
    const last = JSON.parse((await sending.end()).text.trimEnd().split('\n').at(-1) as string);
    expect(last).toMatchObject({ done: true, ok: false, error: 'Unavailable' });
    expect(await written(app, collection)).toEqual([0, 1]);
  });

  it('does not block others while it runs', async () => {
    const collection = await library();
    const sending = upload(collection, app);
    await sending.send(HEADER + numbered(0, 15_000));
    await sending.answer;
    const other = await app.request('POST', collection.data, {
      ...collection.owner,
      body: { records: { isbn: 'i7' } },
    });
    expect(other.status).toBe(200);
    const schema = await app.request('PATCH', `${collection.path}/schema`, {
      ...collection.owner,
      body: { properties: { shelf: { type: 'integer' } } },
    });
    expect(schema.status).toBe(200);
    const last = JSON.parse((await sending.end()).text.trimEnd().split('\n').at(-1) as string);
    expect(last).toMatchObject({ done: true, ok: false, error: 'Conflict' });
    expect((await written(app, collection))[0]).toBe(1);
  });

  it('ends with 404 when the collection is deleted', async () => {
    const queries: Record<string, string>[] = [{ mode: 'append' }, { mode: 'upsert', upsert_key: 'isbn' }];
    for (const query of queries) {
      const collection = await library();
      const sending = upload(collection, app, query);
      await sending.send(HEADER + numbered(0, 15_000));
      await sending.answer;
      const { path, owner } = collection;
      expect((await app.request('DELETE', path, owner)).status).toBe(200);
      const last = JSON.parse((await sending.end()).text.trimEnd().split('\n').at(-1) as string);
      expect(last).toMatchObject({ done: true, ok: false, error: 'CollectionNotFound', inserted: 0 });
    }
  });

  it('ends when the sender loses the right to write', async () => {
    const collection = await library();
    const editor = await newMember(app, home.org);
    const binding = `${collection.path}/access/user/${editor.userId}`;
    await app.request('POST', `${collection.path}/access`, {
      ...collection.owner,
      body: { principal_type: 'user', principal_id: editor.userId, role: 'editor' },
    });
    const sending = upload({ ...collection, owner: { token: editor.token } }, app);
    await sending.send(HEADER + numbered(0, 15_000));
    await sending.answer;
    expect((await app.request('DELETE', binding, collection.owner)).status).toBe(200);
    const last = JSON.parse((await sending.end()).text.trimEnd().split('\n').at(-1) as string);
    expect(last).toMatchObject({ ok: false, error: 'CollectionNotFound' });
    expect((await written(app, collection))[0]).toBe(0);
  });

  describe('invalid files are refused and nothing is written:', () => {
    const noise = Buffer.from(Array.from({ length: 5_000 }, (_, n) => (n * 7919) % 256));
    const gzip = gzipSync(HEADER + numbered(0, 1_000));
    const cases: [
      what: string,
      sent: Uint8Array,
      type: string,
      encoding: string | undefined,
      status: number,
    ][] = [
      ['binary rubbish as CSV', noise, 'text/csv', undefined, 400],
      ['binary rubbish as JSON', noise, NDJSON, undefined, 400],
      ['UTF-16', Buffer.from('\ufefftitle\na\n', 'utf16le'), 'text/csv', undefined, 400],
      ['half a character', Buffer.from([...Buffer.from('title\n'), 0xc3]), 'text/csv', undefined, 400],
      ['NUL in a value', Buffer.from('title\na\0b\n'), 'text/csv', undefined, 400],
      ['numbers out of range', Buffer.from('{"n":1e999}\n'), NDJSON, undefined, 400],
      ['what is no gzip', Buffer.from('title\na\n'), 'text/csv', 'gzip', 400],
      ['gzip that ends early', gzip.subarray(0, gzip.length - 20), 'text/csv', 'gzip', 400],
      ['gzip within gzip', gzipSync(gzip), 'text/csv', 'gzip', 400],
      ['a line of 40 MiB', Buffer.alloc(40 * MIB, 'x'), NDJSON, undefined, 413],
      ['a header of 40 MiB', Buffer.alloc(40 * MIB, 'x'), 'text/csv', undefined, 400],
      ['a quote never closed', Buffer.from(`title\n"${'x'.repeat(20 * MIB)}`), 'text/csv', undefined, 413],
      ['a line of 256 MiB as gzip', gzipSync(Buffer.alloc(256 * MIB, ' ')), NDJSON, 'gzip', 413],
      ['empty lines of 256 MiB as gzip', gzipSync(Buffer.alloc(256 * MIB, '\n')), NDJSON, 'gzip', 413],
    ];
    it.each(cases)('%s', async (_, sent, type, encoding, status) => {
      const collection = await library();
      const answer = await importFile(app, collection, sent, { type, ...(encoding && { encoding }) });
      expect(outcome(answer)).toEqual([status, status === 413 ? 'PayloadTooLarge' : 'InvalidArguments']);
      expect(await written(app, collection)).toEqual([0, 1]);
    });
  });

  describe('the order of refusals is', () => {
    let collection: TestCollection;
    beforeAll(async () => {
      collection = await library();
    });
    it.each([
      ['application/xml', undefined],
      ['text/plain', undefined],
      ['', undefined],
      ['text/csv; charset=latin1', undefined],
      ['text/csv', 'br'],
      ['text/csv', 'gzip, gzip'],
    ])('415 for %s %s', async (type, encoding) => {
      const answer = await importFile(app, collection, '{}', { type, ...(encoding && { encoding }) });
      expect(outcome(answer)).toEqual([415, 'UnsupportedMediaType']);
    });

    it('401, 404, 403, then 415 and 400', async () => {
      const member = await newMember(app, home.org);
      const stranger = await newHome(app);
      const reader = await newMember(app, home.org);
      await app.request('POST', `${collection.path}/access`, {
        ...collection.owner,
        body: { principal_type: 'user', principal_id: reader.userId, role: 'reader' },
      });
      const callers: [object, number][] = [
        [{ caller: {} }, 401],
        [{ caller: { token: member.token } }, 404],
        [{ caller: stranger.owner }, 404],
        [{ caller: { token: reader.token } }, 403],
        [{}, 415],
      ];
      for (const [caller, status] of callers) {
        const answer = await importFile(app, collection, '\0', {
          type: 'image/png',
          query: { mode: 'x' },
          ...caller,
        });
        expect(answer.status).toBe(status);
      }
      expect(await written(app, collection)).toMatchObject([0, expect.any(Number)]);
    });
  });
});
