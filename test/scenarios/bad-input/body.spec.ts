import { brotliCompressSync, deflateSync, gzipSync } from 'node:zlib';
import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Home,
  newHome,
  newTypedCollection,
  outcome,
  search,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';
import { sendRaw } from './raw-request.js';

const MEBIBYTE = 1024 * 1024;

describe('a request body', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  let apiKey: string;
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    books = await newTypedCollection(app, home);
    ({ apiKey } = await newKey(app, home.org));
  });

  const post = (raw: string | Uint8Array, headers: Record<string, string> = {}, path = '') =>
    app.request('POST', `${books.data}${path}`, { ...home.owner, raw, headers });

  const bytes = (...parts: (string | number[])[]) =>
    Buffer.concat(parts.map(part => (typeof part === 'string' ? Buffer.from(part) : Buffer.from(part))));

  describe.each(['', '/bulk', '/query', '/aggregate'])('of POST …/data%s', path => {
    it.each<[string, string | Uint8Array, string]>([
      ['is truncated', '{"records":[{"title":"a"}', 'JSON'],
      ['has text after it', '{"records":{}} x', 'JSON'],
      ['has two values', '{}{}', 'JSON'],
      ['has an extra comma', '{"records":[{},]}', 'JSON'],
      ['has single quotes', "{'records':{}}", 'JSON'],
      ['has a comment', '{"records":{} /* all */}', 'JSON'],
      ['has NaN', '{"records":{"price":NaN}}', 'JSON'],
      ['has a number that is not valid JSON', '{"records":{"price":01}}', 'JSON'],
      ['has a raw NUL', '{"records":{"title":"a\0b"}}', 'JSON'],
      ['is a NUL byte', '\0', 'JSON'],
      ['is white space', '   ', 'JSON'],
      ['is a form', 'records=1', 'JSON'],
      ['is an unterminated text of a mebibyte', `"${'x'.repeat(MEBIBYTE)}`, 'JSON'],
      ['opens 100,000 lists', '['.repeat(100_000), '250 levels'],
      ['is 100,000 nested lists', `${'['.repeat(100_000)}${']'.repeat(100_000)}`, '250 levels'],
      ['is a list', '[]', 'object'],
      ['is a number', '7', 'object'],
      ['is text', '"records"', 'object'],
      ['is null', 'null', 'object'],
      ['has a byte that is not valid UTF-8', bytes('{"records":{"title":"', [0xff], '"}}'), 'UTF-8'],
      ['has an overlong encoding', bytes('{"records":{"title":"', [0xc0, 0xaf], '"}}'), 'UTF-8'],
      ['has a truncated character', bytes('{"records":{"title":"', [0xe2, 0x82], '"}}'), 'UTF-8'],
      ['has a surrogate in UTF-8', bytes('{"records":{"title":"', [0xed, 0xa0, 0x80], '"}}'), 'UTF-8'],
      ['is UTF-16', Buffer.from('{"records":{}}', 'utf16le'), 'JSON'],
      ['has __proto__ at its top level', '{"__proto__":{"records":{}}}', '__proto__'],
      ['has constructor at its top level', '{"constructor":{"prototype":{}},"records":{}}', 'constructor'],
    ])('that %s is refused', async (_, raw, says) => {
      const before = await written(app, books);
      const answer = await post(raw, {}, path);
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.message).toContain(says);
      expect(answer.body.message.length).toBeLessThan(1_000);
      expect(await written(app, books)).toEqual(before);
    });

    it.each([
      'text/plain',
      'application/x-www-form-urlencoded',
      'multipart/form-data; boundary=x',
      'application/xml',
      'application/jsonx',
      'json',
      '',
      'application/json; charset=utf-16',
      'application/json; charset=latin1',
    ])('of type %j is refused with 415', async type => {
      const before = await written(app, books);
      const answer = await post('{"records":[{}],"steps":[]}', { 'content-type': type }, path);
      expect(outcome(answer)).toEqual([415, 'UnsupportedMediaType']);
      expect(answer.body.message).toMatch(/JSON|UTF-8/);
      expect(await written(app, books)).toEqual(before);
    });
  });

  it.each([
    'application/json; charset=UTF-8',
    'APPLICATION/JSON',
    'application/json;charset="utf-8"',
    'application/vnd.acme+json',
  ])('of type %j is accepted', async type => {
    expect((await post('{"records":{}}', { 'content-type': type })).status).toBe(200);
  });

  it('that is missing is refused with a message that names it', async () => {
    const answer = await app.request('POST', books.data, home.owner);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain('records');
  });

  it.each<[string, object, string]>([
    ['/aggregate', { steps: [[]] }, 'steps: expects a list of objects'],
    ['/aggregate', { steps: [[{ type: 'count', output_field: 'n' }]] }, 'steps: expects a list of objects'],
    ['/aggregate', { steps: ['count'] }, 'steps: expects a list of objects'],
    ['/aggregate', { steps: [null] }, 'steps: expects a list of objects'],
    ['/aggregate', { steps: {} }, 'steps: expects a list'],
    ['/explain', { aggregate: [] }, 'aggregate: expects an object'],
    ['/explain', { aggregate: [{ steps: [] }] }, 'aggregate: expects an object'],
    ['/explain', { aggregate: { steps: [[]] } }, 'aggregate.steps: expects a list of objects'],
  ])('of POST …/data%s with a list in place of an object is refused: %j', async (path, body, message) => {
    const answer = await post(JSON.stringify(body), {}, path);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toBe(message);
  });

  describe('that is too large', () => {
    it.each([11, 20])('(%i MiB) is refused with 413, though each of its records fits', async size => {
      const before = await written(app, books);
      const note = 'x'.repeat(size * 1024);
      const raw = JSON.stringify({ records: Array.from({ length: 1024 }, () => ({ note })) });
      const answer = await post(raw, {}, '/bulk');
      expect(outcome(answer)).toEqual([413, 'PayloadTooLarge']);
      expect(await written(app, books)).toEqual(before);
    });

    it('is refused as soon as the limit is exceeded, however much the client would send', async () => {
      const head = `POST ${books.data} HTTP/1.1\r\nHost: x\r\nx-platform-api-key: ${apiKey}\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n`;
      const chunk = Buffer.concat([
        Buffer.from('100000\r\n'),
        Buffer.alloc(MEBIBYTE, 'x'),
        Buffer.from('\r\n'),
      ]);
      const answer = await sendRaw(app.url, [head, ...Array.from({ length: 12 }, () => chunk)]);
      expect(answer).toMatchObject({ statuses: [413], isClosed: true });
    });

    it('is refused by its Content-Length before it is read', async () => {
      const head = `POST ${books.data} HTTP/1.1\r\nHost: x\r\nx-platform-api-key: ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: 99999999999\r\n\r\n{`;
      expect(await sendRaw(app.url, [head])).toMatchObject({ statuses: [413], isClosed: true });
    });

    it('does not prevent the next request on the connection when the client sends it completely', async () => {
      const size = 11 * MEBIBYTE;
      const head = `POST ${books.data} HTTP/1.1\r\nHost: x\r\nx-platform-api-key: ${apiKey}\r\nContent-Type: application/json\r\nContent-Length: ${size}\r\n\r\n`;
      const next = 'GET /health/ready HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n';
      const { statuses } = await sendRaw(app.url, [head, Buffer.alloc(size, 'x'), next]);
      expect(statuses).toEqual([413, 200]);
    });

    it('is one that exceeds the limit: a body of exactly the limit is accepted', async () => {
      const note = 'x'.repeat(9 * MEBIBYTE);
      expect((await post(JSON.stringify({ records: { note } }))).status).toBe(200);
    });
  });

  describe('that is compressed', () => {
    const records = JSON.stringify({ records: { title: 'compressed' } });

    it.each<[string, Buffer]>([
      ['gzip', gzipSync(records)],
      ['deflate', deflateSync(records)],
      ['br', brotliCompressSync(records)],
      ['GZIP', gzipSync(records)],
      ['identity', Buffer.from(records)],
    ])('with %s is read', async (encoding, raw) => {
      expect(outcome(await post(raw, { 'content-encoding': encoding }))).toEqual([200, undefined]);
    });

    it.each<[string, string, () => Buffer, [number, string]]>([
      ['a bomb of a gigabyte', 'gzip', () => bomb(), [413, 'PayloadTooLarge']],
      [
        '20 MiB that were 20 KiB',
        'gzip',
        () => gzipSync(`{"records":{"a":"${'x'.repeat(20 * MEBIBYTE)}"}}`),
        [413, 'PayloadTooLarge'],
      ],
      [
        '20 MiB by brotli',
        'br',
        () => brotliCompressSync(Buffer.alloc(20 * MEBIBYTE, 'x')),
        [413, 'PayloadTooLarge'],
      ],
      ['what is no gzip', 'gzip', () => Buffer.from(records), [400, 'InvalidArguments']],
      ['a gzip cut off', 'gzip', () => gzipSync(records).subarray(0, 20), [400, 'InvalidArguments']],
      ['a gzip with a wrong checksum', 'gzip', () => spoiled(gzipSync(records)), [400, 'InvalidArguments']],
      ['a gzip of no JSON', 'gzip', () => gzipSync('x'), [400, 'InvalidArguments']],
      [
        'a gzip of invalid UTF-8',
        'gzip',
        () => gzipSync(Buffer.from([0x22, 0xff, 0x22])),
        [400, 'InvalidArguments'],
      ],
      ['an unknown encoding', 'zstd', () => Buffer.from(records), [415, 'UnsupportedMediaType']],
      ['two encodings', 'gzip, gzip', () => gzipSync(gzipSync(records)), [415, 'UnsupportedMediaType']],
    ])('as %s is refused', async (_, encoding, raw, expected) => {
      const before = await written(app, books);
      expect(outcome(await post(raw(), { 'content-encoding': encoding }))).toEqual(expected);
      expect(await written(app, books)).toEqual(before);
    });
  });

  describe('whose length differs from the announced one', () => {
    const head = (length: string) =>
      `POST ${books.data} HTTP/1.1\r\nHost: x\r\nx-platform-api-key: ${apiKey}\r\nContent-Type: application/json\r\n${length}\r\n\r\n`;
    const record = '{"records":{"title":"misannounced"}}';

    it('is awaited if shorter, and nothing is written when the client gives up', async () => {
      const { statuses } = await sendRaw(
        app.url,
        [head(`Content-Length: ${record.length + 10}`), record],
        300,
      );
      expect(statuses).toEqual([]);
      expect((await search(app, books, { filter: { title: 'misannounced' } })).count).toBe(0);
    });

    it('is cut off if longer and thus not JSON; the rest is not a request', async () => {
      const { statuses } = await sendRaw(app.url, [head('Content-Length: 20'), record]);
      expect(new Set(statuses)).toEqual(new Set([400]));
      expect((await search(app, books, { filter: { title: 'misannounced' } })).count).toBe(0);
    });

    it.each([
      'Content-Length: -1',
      'Content-Length: 1e3',
      'Content-Length: 5\r\nContent-Length: 6',
      'Content-Length: 5\r\nTransfer-Encoding: chunked',
      'Transfer-Encoding: gzip, chunked, x',
    ])('with %j is refused', async length => {
      const { statuses } = await sendRaw(app.url, [head(length), record]);
      expect(statuses).toEqual([400]);
      expect((await search(app, books, { filter: { title: 'misannounced' } })).count).toBe(0);
    });

    it.each(['zz\r\n{}\r\n0\r\n\r\n', '-5\r\n{}\r\n'])('with the chunk %j is refused', async chunk => {
      const { statuses } = await sendRaw(app.url, [head('Transfer-Encoding: chunked'), chunk]);
      expect(statuses.at(-1)).toBe(400);
    });
  });
});

/** A gigabyte of zeros as gzip, about a mebibyte long: several members form one stream (RFC 1952, 2.2). */
function bomb(): Buffer {
  const member = gzipSync(Buffer.alloc(64 * MEBIBYTE));
  return Buffer.concat(Array.from({ length: 16 }, () => member));
}

function spoiled(gzip: Buffer): Buffer {
  const at = gzip.length - 6;
  gzip[at] = (gzip[at] as number) ^ 0xff;
  return gzip;
}
