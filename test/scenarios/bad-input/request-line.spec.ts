import { beforeAll, describe, expect, it } from 'vitest';
import { EMMA, outcome, written } from '../../harness/collection.js';
import { newKey } from '../orgs/org.js';
import { type Books, booksWith } from './books.js';
import { sendRaw } from './raw-request.js';

describe('the request line', () => {
  let { app, home, books, id: record } = {} as Books;
  let apiKey: string;
  beforeAll(async () => {
    ({ app, home, books, id: record } = await booksWith(EMMA));
    ({ apiKey } = await newKey(app, home.org));
  });

  const raw = (method: string, path: string, headers = '') =>
    sendRaw(app.url, [
      `${method} ${path} HTTP/1.1\r\nHost: x\r\nConnection: close\r\nx-platform-api-key: ${apiKey}\r\n${headers}\r\n`,
    ]);

  it.each([
    ['PUT', '', 'DELETE, GET, HEAD, PATCH'],
    ['POST', '', 'DELETE, GET, HEAD, PATCH'],
    ['PUT', '/data', 'GET, HEAD, PATCH, POST'],
    ['DELETE', '/data', 'GET, HEAD, PATCH, POST'],
    ['PUT', '/data/00000000-0000-4000-8000-000000000000', 'DELETE, GET, HEAD, PATCH'],
    ['OPTIONS', '/data/query', 'DELETE, GET, HEAD, PATCH, POST'],
    ['TRACE', '/data', 'GET, HEAD, PATCH, POST'],
    ['PROPFIND', '/data', 'GET, HEAD, PATCH, POST'],
  ])('%s …%s is 405, and Allow lists the allowed methods', async (method, path, allow) => {
    const before = await written(app, books);
    const { statuses, text } = await raw(method, `${books.path}${path}`);
    expect(statuses).toEqual([405]);
    expect(text).toContain(`\r\nAllow: ${allow}\r\n`);
    expect(text).toContain('"error":"MethodNotAllowed"');
    expect(text).not.toContain(apiKey);
    expect(await written(app, books)).toEqual(before);
  });

  it.each([
    '/v1',
    '/v1/collection',
    '/v1/collections/x/y',
    '/v3/collections',
    '/v1/collections/../../etc/passwd',
    '/%2e%2e/x',
    '/.git/config',
  ])('%s is 404', async path => {
    const { statuses, text } = await raw('GET', path);
    expect(statuses).toEqual([404]);
    expect(text).toContain('"error":"NotFound"');
  });

  it.each([
    '/v1/collections/%',
    '/v1/collections/%zz',
    '/v1/collections/%E0%A4%A',
    '/v1/collections/%ff/data',
    '/v1/collections?limit=%',
    '/v1/collections?limit=%zz',
    '/v1/collections?%ff=1',
  ])('invalid percent-encoding, %s, is 400', async path => {
    const { statuses, text } = await raw('GET', path);
    expect(statuses).toEqual([400]);
    expect(text).toContain('"error":"InvalidArguments"');
  });

  it.each([
    '%00',
    '%2f',
    '..%2f..',
    '%0d%0aSet-Cookie:x',
    'a'.repeat(5_000),
    '%F0%9F%98%80',
    '{collection_id}',
    "'--",
  ])('a malformed id like %s is an unknown id', async id => {
    const collection = await raw('GET', `/v1/collections/${id}`);
    expect(collection.statuses).toEqual([404]);
    expect(collection.text).toContain('"error":"CollectionNotFound"');
    const of = await raw('GET', `${books.data}/${id}`);
    expect(of.statuses).toEqual([404]);
    expect(of.text).toContain('"error":"RecordNotFound"');
    expect(collection.text + of.text).not.toMatch(/set-cookie/i);
  });

  const chunked = 'POST /v2/login/anonymous HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n';
  it.each([
    ['invalid HTTP', 400, 'InvalidArguments', 'GET / NONSENSE\r\n\r\n'],
    ['an invalid method', 400, 'InvalidArguments', 'G=T / HTTP/1.1\r\nHost: x\r\n\r\n'],
    [
      ...(['headers of 100 KiB', 431, 'HeadersTooLarge'] as const),
      `GET / HTTP/1.1\r\nHost: x\r\nx: ${'x'.repeat(102_400)}\r\n\r\n`,
    ],
    [
      ...(['a path of 100 KiB', 431, 'HeadersTooLarge'] as const),
      `GET /${'x'.repeat(102_400)} HTTP/1.1\r\nHost: x\r\n\r\n`,
    ],
    ['a header without a name', 400, 'InvalidArguments', 'GET / HTTP/1.1\r\nHost: x\r\n: x\r\n\r\n'],
    ['a NUL in a header', 400, 'InvalidArguments', 'GET / HTTP/1.1\r\nHost: x\r\nx: a\0b\r\n\r\n'],
    [
      ...(['a length beside chunks', 400, 'InvalidArguments'] as const),
      `${chunked}Content-Length: 3\r\n\r\n0\r\n\r\n`,
    ],
    [
      ...(['chunks in HTTP/1.0', 400, 'InvalidArguments'] as const),
      `${chunked.replace('HTTP/1.1', 'HTTP/1.0')}Connection: keep-alive\r\n\r\n0\r\n\r\n`,
    ],
    ['no Host header', 400, 'InvalidArguments', 'GET /v1/collections HTTP/1.1\r\n\r\n'],
    [
      ...(['two Host headers', 400, 'InvalidArguments'] as const),
      'GET /v1/collections HTTP/1.1\r\nHost: x\r\nhost: y\r\n\r\n',
    ],
  ])(
    '%s is %i with the usual error body, closes the connection, and the service goes on',
    async (_, status, code, text) => {
      const answer = await sendRaw(app.url, [text]);
      expect(answer.statuses).toEqual([status]);
      expect(answer.text).toMatch(/\r\nConnection: close\r\n/i);
      expect(answer.text).toContain('\r\nContent-Type: application/json; charset=utf-8\r\n');
      const body = /\{.*\}/s.exec(answer.text)?.[0] as string;
      expect(JSON.parse(body)).toEqual({ error: code, message: expect.any(String) });
      expect((await app.request('GET', `${books.data}/${record}`, home.owner)).status).toBe(200);
    },
  );

  it.each([
    ['an unknown scheme', 'foo://host'],
    ['a URL without a host', 'https://'],
    ['a URL with an empty host', 'http:///v1/collections'],
    ['the asterisk of OPTIONS', '*'],
    ['a fragment', '/v1/collections#x'],
    ['a fragment after a user name', '//a@b#'],
    ['a fragment after what is no host', '//a@[/#'],
  ])('a target with %s is 400, and the service goes on', async (_, target) => {
    const { statuses, text } = await sendRaw(app.url, [`GET ${target} HTTP/1.1\r\nHost: x\r\n\r\n`]);
    expect(statuses).toEqual([400]);
    expect(text).toMatch(/\r\nConnection: close\r\n/i);
    expect(JSON.parse(/\{.*\}/s.exec(text)?.[0] as string)).toEqual({
      error: 'InvalidArguments',
      message: expect.stringContaining('The target of the request'),
    });
    expect((await app.request('GET', `${books.data}/${record}`, home.owner)).status).toBe(200);
  });

  it.each(['elsewhere.example:8080', 'user@elsewhere.example', '[::1', 'xn--', 'x:999999'])(
    'a target that is a URL is its path and its query, also with the host %s',
    async host => {
      const { statuses, text } = await raw(
        'GET',
        `HTTP://${host}${books.data}/count?filter=%7B%22title%22:1%7D`,
      );
      expect(statuses).toEqual([200]);
      expect(text).toContain('{"count":0}');
      expect((await raw('GET', `http://${host}`)).statuses).toEqual([200]);
      expect((await raw('GET', `http://${host}?x=1`)).statuses).toEqual([200]);
      expect((await raw('GET', `http://${host}/v1/../metrics`)).statuses).toEqual([404]);
    },
  );

  it('OPTIONS * is 404, like a path without a route', async () => {
    const { statuses, text } = await raw('OPTIONS', '*');
    expect(statuses).toEqual([404]);
    expect(text).toContain('"error":"NotFound"');
  });

  it('chunk extensions of 100 KiB are 413', async () => {
    const head = `${chunked}Content-Type: application/json\r\n\r\n`;
    const answer = await sendRaw(app.url, [`${head}2;${'x'.repeat(102_400)}\r\n{}\r\n0\r\n\r\n`]);
    expect(answer.statuses).toEqual([413]);
    expect(answer.text).toContain('"error":"PayloadTooLarge"');
  });

  it('a path with a trailing slash is the same path', async () => {
    expect((await app.request('GET', `${books.data}/`, home.owner)).body.count).toBe(1);
  });

  it('HEAD is answered like GET, without a body', async () => {
    for (const path of [books.path, books.data, `${books.data}/${record}`, `${books.data}/count`]) {
      const [head, get] = [
        await app.request('HEAD', path, home.owner),
        await app.request('GET', path, home.owner),
      ];
      expect([head.status, head.text]).toEqual([200, '']);
      expect(head.headers.get('content-length')).toBe(get.headers.get('content-length'));
    }
    expect((await app.request('HEAD', books.path, {})).status).toBe(401);
  });

  it('a body in a GET request is ignored', async () => {
    const { statuses, text } = await raw(
      'GET',
      `${books.data}/count`,
      'Content-Length: 3\r\nContent-Type: text/plain\r\n\r\n{{{',
    );
    expect(statuses).toEqual([200]);
    expect(text).toContain('{"count":1}');
  });

  it('names of operations are not record ids', async () => {
    for (const [method, path] of [
      ['PATCH', 'count'],
      ['DELETE', 'distinct'],
      ['GET', 'bulk'],
      ['GET', 'query'],
    ] as const) {
      const answer = await app.request(method, `${books.data}/${path}`, {
        ...home.owner,
        ...(method === 'PATCH' && { body: {} }),
      });
      expect(outcome(answer)).toEqual([404, 'RecordNotFound']);
    }
  });
});
