import { brotliCompressSync, gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp, type TestRequest } from '../../harness/app.js';
import {
  type Home,
  newHome,
  newTypedCollection,
  outcome,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { newSlug } from '../orgs/org.js';

const SMALL = 64 * 1024;
const FORM = { 'content-type': 'application/x-www-form-urlencoded' };
/** Routes that accept a body without a credential. */
const PUBLIC = [
  '/v2/login/token-exchange',
  '/v2/login/anonymous',
  '/v2/orgs/acme/api-keys/validate',
  '/v2/orgs/acme/service-accounts/robot/token',
  '/oidc/token',
  '/oidc/token/introspection',
  '/oidc/token/revocation',
  '/oidc/session/end',
  '/oidc/session/end/confirm',
  '/oidc/interaction/unknown',
  '/oidc/reg',
];

let app: TestApp;
let home: Home;
let books: TestCollection;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
  books = await newTypedCollection(app, home);
});

const padded = (bytes: number) => JSON.stringify({ a: 'x'.repeat(bytes - 8) });

describe('a route without a credential', () => {
  it.each(PUBLIC)('%s refuses more than 64 kB with 413, also when compressed', async path => {
    const bodies: [string | Uint8Array, Record<string, string>][] = [
      [padded(SMALL + 1), {}],
      [gzipSync(padded(20 * 1024 * 1024)), { 'content-encoding': 'gzip' }],
      [brotliCompressSync(Buffer.alloc(20 * 1024 * 1024, '1,')), { 'content-encoding': 'br' }],
    ];
    for (const [raw, headers] of bodies) {
      expect(outcome(await app.request('POST', path, { raw, headers }))).toEqual([413, 'PayloadTooLarge']);
    }
  });

  it.each(PUBLIC)('%s refuses nested lists, never with 500', async path => {
    const answer = await app.request('POST', path, { raw: `${'['.repeat(25_000)}${']'.repeat(25_000)}` });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.text).not.toContain('[[');
  });

  it.each(['/v2/login/token-exchange', '/oidc/token', '/oidc/token/introspection', '/oidc/token/revocation'])(
    '%s refuses a form of 101 fields',
    async path => {
      const fields = Array.from({ length: 101 }, (_, index) => `f${index}=1`).join('&');
      const answer = await app.request('POST', path, { raw: fields, headers: FORM });
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.message).toBe('A form has at most 100 fields.');
    },
  );

  it('names at most 20 unknown fields, each by at most 200 characters', async () => {
    const many = Object.fromEntries(Array.from({ length: 5_000 }, (_, index) => [`key${index}`, 0]));
    const answer = await app.request('POST', '/v2/login/anonymous', { body: many });
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.details).toHaveLength(20);
    expect(answer.body.message).toContain('key19: is not a known property');
    expect(answer.body.message).toMatch(/; and more$/);
    expect(answer.body.message).not.toContain('key20');
    const long = await app.request('POST', '/v2/login/anonymous', { body: { ['n'.repeat(60_000)]: 0 } });
    expect(outcome(long)).toEqual([400, 'InvalidArguments']);
    expect(long.body.details[0].field).toBe(`${'n'.repeat(200)}…`);
    expect(long.text.length).toBeLessThan(700);
  });

  it.each(['constructor', 'toString', 'hasOwnProperty', '__defineGetter__', 'isPrototypeOf', 'valueOf'])(
    'does not know the field %s',
    async name => {
      const answer = await app.request('POST', '/v2/login/anonymous', { raw: `{"${name}":1}` });
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.message).toBe(`${name}: is not a known property`);
    },
  );
});

describe('an administration route', () => {
  const routes: [string, () => [string, string]][] = [
    ['the organization', () => ['PATCH', home.org.path]],
    ['an invitation', () => ['POST', `${home.org.path}/invites`]],
    ['a key', () => ['POST', `${home.org.path}/api-keys`]],
    ['a collection', () => ['POST', '/v1/collections']],
    ['a binding', () => ['POST', `${books.path}/access`]],
    ['a webhook', () => ['POST', `${books.path}/webhooks`]],
    ['the schema', () => ['PATCH', `${books.path}/schema`]],
    ['the charts', () => ['PUT', `${books.path}/charts`]],
    ['a workspace', () => ['POST', '/v2/workspaces']],
  ];
  it.each(routes)('accepts 64 kB for %s and no more', async (_, route) => {
    const [method, path] = route();
    const within = await app.request(method, path, { ...home.owner, raw: padded(SMALL) });
    expect(outcome(within)).toEqual([400, 'InvalidArguments']);
    const beyond = await app.request(method, path, { ...home.owner, raw: padded(SMALL + 1) });
    expect(outcome(beyond)).toEqual([413, 'PayloadTooLarge']);
    expect(beyond.body.message).toContain('65536');
  });

  it('accepts a schema of 500 columns', async () => {
    const columns = Array.from({ length: 500 }, (_, index) => [
      `${'column'.repeat(9)}${String(index).padStart(3, '0')}`,
      { type: 'datetime', nullable: false },
    ]);
    const properties = Object.fromEntries(columns);
    const answer = await app.request('POST', '/v1/collections', {
      ...home.owner,
      body: { name: newSlug(), properties },
    });
    expect(answer.status, answer.text).toBe(200);
  });
});

describe('a record route', () => {
  const insert = (raw: string) => app.request('POST', books.data, { ...home.owner, raw });

  it('accepts more than 64 kB', async () => {
    expect((await insert(`{"records":${padded(SMALL * 2)}}`)).status).toBe(200);
  });

  it('stores every record of a large body unchanged', async () => {
    const records = Array.from({ length: 1_000 }, (_, row) => ({
      title: `book ${row}`,
      notes: { list: [row, [], {}, { deep: [{ row }] }], text: '"}],{[\\'.repeat(20), [`k${row}`]: null },
    }));
    const { body, status } = await insert(JSON.stringify({ records }));
    expect(status).toBe(200);
    const { body: page } = await app.request('POST', `${books.data}/query`, {
      ...home.owner,
      body: { filter: { _id: body.ids[777] } },
    });
    expect(page.records[0]).toMatchObject(records[777] as object);
  });

  it('refuses a large body with an error at its end, and writes nothing', async () => {
    const before = await written(app, books);
    const records = Array.from({ length: 900 }, () => ({ title: 'x'.repeat(500) }));
    const text = JSON.stringify({ records });
    for (const damaged of [
      text.slice(0, -1),
      `${text.slice(0, -2)},]}`,
      `${text}x`,
      `${text.slice(0, -2)}}]`,
    ]) {
      const answer = await insert(damaged);
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
      expect(answer.body.message).toContain('not valid JSON');
    }
    expect(await written(app, books)).toEqual(before);
  });
});

describe('refused bodies without a credential', () => {
  let limited: TestApp;
  beforeAll(async () => {
    const environment = {
      RATE_LIMITS: 'on',
      RATE_LIMIT_AUTH_FAILURES: '10',
      TRUSTED_PROXIES: '127.0.0.1',
    };
    limited = await startOwnApp({ database: 'own', environment });
  });
  afterAll(() => limited.close());

  const from = (address: string, request: TestRequest) =>
    limited.request('POST', '/v2/orgs/acme/api-keys/validate', {
      ...request,
      headers: { 'x-forwarded-for': address, ...request.headers },
    });

  it.each<[string, string, TestRequest]>([
    ['malformed', '198.51.100.1', { raw: '{' }],
    ['with unknown fields', '198.51.100.2', { body: { stranger: 1 } }],
    ['that are too large', '198.51.100.3', { raw: padded(SMALL + 1) }],
    ['of another media type', '198.51.100.4', { raw: 'x', headers: { 'content-type': 'text/plain' } }],
  ])('%s are counted by source, and one too many gets 429', async (_, address, request) => {
    for (let sent = 0; sent < 10; sent++) {
      expect([400, 413, 415]).toContain((await from(address, request)).status);
    }
    const last = await from(address, request);
    expect(outcome(last)).toEqual([429, 'TooManyRequests']);
    expect(Number(last.headers.get('retry-after'))).toBeGreaterThan(0);
    expect((await from('198.51.100.99', request)).status).not.toBe(429);
  });

  it('are not counted if the request had a credential', async () => {
    const token = limited.bootstrap.accessToken;
    for (let sent = 0; sent < 15; sent++) {
      const answer = await limited.request('POST', '/v1/collections', { token, raw: '{' });
      expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    }
  });
});
