import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startApp, startOwnApp, type TestApp, type TestRequest } from '../../harness/app.js';
import {
  type Home,
  newHome,
  newTypedCollection,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { cookie } from '../auth/person.js';
import { newKey } from '../orgs/org.js';

const PAGE = 'https://app.example.com';
const CONSOLE = 'https://console.example.com';
/** Origins that resemble an allowed one but are not allowed. */
const LOOKALIKES = [
  'null',
  '*',
  'https://app.example.com.evil.example',
  'https://evil.example?https://app.example.com',
  'https://xapp.example.com',
  'https://example.com',
  'https://a.app.example.com',
  'http://app.example.com',
  'https://app.example.com:8443',
  'https://app.example.com/',
  'https://APP.example.com',
  'https://app.example.com, https://app.example.com',
  'file://',
];
const GRANTS = [
  'access-control-allow-origin',
  'access-control-allow-credentials',
  'access-control-allow-methods',
  'access-control-allow-headers',
  'access-control-expose-headers',
];

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | undefined>>;
  readonly text: string;
}

/** Sends the headers of a browser directly, because fetch does not let a program set Origin. */
function ask(app: TestApp, method: string, path: string, headers: object, body?: string): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${app.url}${path}`, { method, headers: { ...headers }, agent: false });
    request.once('error', reject).once('response', response => {
      let text = '';
      response.on('data', chunk => {
        text += chunk;
      });
      response.once('close', () =>
        resolve({ status: response.statusCode as number, headers: response.headers as never, text }),
      );
    });
    request.end(body);
  });
}

const grants = ({ headers }: Answer) => Object.fromEntries(GRANTS.map(name => [name, headers[name]]));
const NONE = Object.fromEntries(GRANTS.map(name => [name, undefined]));
const preflight = (app: TestApp, path: string, origin: string, method = 'POST') =>
  ask(app, 'OPTIONS', path, {
    origin,
    'access-control-request-method': method,
    'access-control-request-headers': 'content-type,x-platform-api-key',
  });

describe('pages of allowed origins', () => {
  let app: TestApp;
  let home: Home;
  let books: TestCollection;
  let key: string;
  beforeAll(async () => {
    const environment = { CORS_ORIGINS: `${PAGE}, http://localhost:5173`, PLATFORM_ORIGINS: CONSOLE };
    app = await startOwnApp({ environment });
    home = await newHome(app);
    books = await newTypedCollection(app, home);
    key = (await newKey(app, home.org)).apiKey;
  });
  afterAll(() => app.close());

  it('are allowed by a preflight with 204, without a credential', async () => {
    for (const path of [books.data, `${books.path}/import`, '/v1/mcp', '/v2/orgs', '/v1/unknown']) {
      const answer = await preflight(app, path, PAGE, 'PATCH');
      expect([answer.status, answer.text]).toEqual([204, '']);
      expect(answer.headers['access-control-allow-origin']).toBe(PAGE);
      expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
      expect(answer.headers['access-control-allow-methods']).toBe('GET, HEAD, POST, PUT, PATCH, DELETE');
      for (const name of [
        'authorization',
        'content-type',
        'x-platform-api-key',
        'x-client-version',
        'if-match',
        'idempotency-key',
        'last-event-id',
      ]) {
        expect(answer.headers['access-control-allow-headers']?.toLowerCase().split(', ')).toContain(name);
      }
      expect(answer.headers.vary).toContain('Origin');
      expect(answer.headers['access-control-allow-private-network']).toBeUndefined();
    }
  });

  it('can read answers to requests with a key, including entity tag and rate limits', async () => {
    const headers = { origin: PAGE, 'x-platform-api-key': key, 'content-type': 'application/json' };
    const made = await ask(app, 'POST', books.data, headers, '{"records":{"title":"Emma"}}');
    expect(made.status, made.text).toBe(200);
    const [id] = JSON.parse(made.text).ids;
    const answer = await ask(app, 'GET', `${books.data}/${id}`, headers);
    expect(answer.status).toBe(200);
    expect(answer.headers['access-control-allow-origin']).toBe(PAGE);
    expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
    const exposed = answer.headers['access-control-expose-headers']?.split(', ');
    expect(exposed).toEqual(
      expect.arrayContaining(['ETag', 'RateLimit-Remaining', 'Retry-After', 'x-correlation-id']),
    );
    expect(answer.headers.vary).toContain('Origin');
    const unchanged = await ask(app, 'GET', `${books.data}/${id}`, {
      ...headers,
      'if-none-match': answer.headers.etag,
    });
    expect([unchanged.status, unchanged.headers['access-control-allow-origin']]).toEqual([304, PAGE]);
  });

  it('can read refusals too', async () => {
    const json = { origin: PAGE, 'content-type': 'application/json' };
    const large = { ...json, 'x-platform-api-key': key, 'content-length': '99999999' };
    const refusals = [
      await ask(app, 'GET', books.data, { origin: PAGE }),
      await ask(app, 'GET', '/v1/unknown', { origin: PAGE }),
      await ask(app, 'GET', '/v1/collections/unknown', { origin: PAGE, 'x-platform-api-key': key }),
      await ask(app, 'DELETE', books.data, { origin: PAGE }),
      await ask(app, 'POST', books.data, { ...json, 'x-platform-api-key': key }, '{'),
      await ask(app, 'POST', `${books.path}/access`, large).catch(() => undefined),
      await ask(app, 'POST', books.data, { ...json, authorization: 'Bearer x.y.z' }, '{}'),
    ];
    expect(refusals.map(answer => answer?.status)).toEqual([401, 404, 404, 405, 400, 413, 401]);
    for (const answer of refusals) expect(answer?.headers['access-control-allow-origin']).toBe(PAGE);
  });

  it('can follow changes and export files', async () => {
    const headers = { origin: PAGE, 'x-platform-api-key': key };
    const file = await ask(app, 'GET', `${books.path}/export`, headers);
    expect([file.status, file.headers['access-control-allow-origin']]).toEqual([200, PAGE]);
    expect(file.headers.vary).toMatch(/Origin.*Accept/);
    const stream = await new Promise<Answer['headers']>((resolve, reject) => {
      const request = httpRequest(`${app.url}${books.path}/changes`, {
        headers: { ...headers, accept: 'text/event-stream' },
        agent: false,
      });
      request.once('error', reject).once('response', response => {
        resolve(response.headers as never);
        request.destroy();
      });
      request.end();
    });
    expect(stream['content-type']).toContain('text/event-stream');
    expect(stream['access-control-allow-origin']).toBe(PAGE);
  });

  it('can call tools of the Model Context Protocol', async () => {
    const headers = {
      ...{ origin: PAGE, 'x-platform-api-key': key, 'content-type': 'application/json' },
      accept: 'application/json, text/event-stream',
    };
    const message = JSON.stringify({ jsonrpc: '2.0', id: 1, method: 'tools/list' });
    const answer = await ask(app, 'POST', '/v1/mcp', headers, message);
    expect([answer.status, answer.headers['access-control-allow-origin']]).toEqual([200, PAGE]);
    const foreign = await ask(
      app,
      'POST',
      '/v1/mcp',
      { ...headers, origin: 'https://evil.example' },
      message,
    );
    expect([foreign.status, grants(foreign)]).toEqual([403, NONE]);
  });

  it('cannot use the cookie, for reads or writes', async () => {
    const body = JSON.stringify({ records: { title: 'forged' } });
    const held = { ...cookie(home.org.owner.token), 'content-type': 'application/json' };
    const before = await app.request('GET', `${books.data}/count`, home.owner);
    for (const site of ['cross-site', 'same-site', undefined]) {
      const headers = { ...held, origin: PAGE, ...(site && { 'sec-fetch-site': site }) };
      const [wrote, read] = [
        await ask(app, 'POST', books.data, headers, body),
        await ask(app, 'GET', books.data, headers),
      ];
      for (const answer of [wrote, read]) {
        expect(answer.status).toBe(403);
        expect(answer.text).toContain('CsrfRefused');
        expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
      }
    }
    expect((await app.request('GET', `${books.data}/count`, home.owner)).body).toEqual(before.body);
  });

  it.each(LOOKALIKES)('do not include %s', async origin => {
    const asked = await preflight(app, books.data, origin);
    expect([asked.status, grants(asked)]).toEqual([405, NONE]);
    const answer = await ask(app, 'GET', books.data, { origin, 'x-platform-api-key': key });
    expect([answer.status, grants(answer)]).toEqual([200, NONE]);
    expect(answer.headers.vary).toContain('Origin');
  });

  it('can use the cookie if they belong to the platform', async () => {
    const asked = await preflight(app, books.data, CONSOLE);
    expect([asked.status, asked.headers['access-control-allow-credentials']]).toEqual([204, 'true']);
    expect(asked.headers['access-control-allow-origin']).toBe(CONSOLE);
    const held = { ...cookie(home.org.owner.token), origin: CONSOLE, 'sec-fetch-site': 'cross-site' };
    const read = await ask(app, 'GET', books.data, held);
    expect([read.status, read.headers['access-control-allow-credentials']]).toEqual([200, 'true']);
    const body = JSON.stringify({ records: { title: 'Persuasion' } });
    const wrote = await ask(app, 'POST', books.data, { ...held, 'content-type': 'application/json' }, body);
    expect([wrote.status, wrote.headers['access-control-allow-origin']]).toEqual([200, CONSOLE]);
  });

  it.each(['/oidc/auth', '/oidc/interaction/x', '/oidc/session/end', '/metrics'])(
    'get no leave to read %s',
    async path => {
      for (const origin of [PAGE, CONSOLE]) {
        expect(grants(await ask(app, 'GET', path, { origin }))).toEqual(NONE);
      }
    },
  );

  it('are not required at the OAuth endpoints, which any origin can use without cookies', async () => {
    const open: [string, string][] = [
      ['GET', '/oidc/.well-known/openid-configuration'],
      ['GET', '/.well-known/oauth-protected-resource'],
      ['GET', '/oidc/jwks'],
      ['POST', '/oidc/token'],
    ];
    for (const origin of ['https://inspector.example', CONSOLE]) {
      for (const [method, path] of open) {
        const answer = await ask(app, method, path, { origin });
        expect(['*', origin]).toContain(answer.headers['access-control-allow-origin']);
        expect(answer.headers['access-control-allow-credentials']).toBeUndefined();
        const asked = await preflight(app, path, origin, method);
        expect(asked.status).toBe(204);
        expect(asked.headers['access-control-allow-credentials']).toBeUndefined();
      }
    }
  });

  it('make no difference to clients that send no Origin', async () => {
    const answer = await ask(app, 'OPTIONS', books.data, { 'access-control-request-method': 'POST' });
    expect([answer.status, grants(answer)]).toEqual([405, NONE]);
    const options = await ask(app, 'OPTIONS', books.data, { origin: PAGE });
    expect([options.status, options.headers['access-control-allow-origin']]).toEqual([405, PAGE]);
  });
});

describe('CORS_ORIGINS=*', () => {
  let app: TestApp;
  beforeAll(async () => {
    app = await startOwnApp({ environment: { CORS_ORIGINS: '*', PLATFORM_ORIGINS: CONSOLE } });
  });
  afterAll(() => app.close());

  it.each([PAGE, 'null', 'https://evil.example'])('allows %s, but never with the cookie', async origin => {
    const asked = await preflight(app, '/v1/collections', origin);
    expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([204, '*']);
    expect(asked.headers['access-control-allow-credentials']).toBeUndefined();
    const { org, owner } = await newHome(app);
    const list = (request: TestRequest) => ask(app, 'GET', '/v1/collections', { ...request.headers, origin });
    const held = await list({ headers: cookie(org.owner.token) });
    expect([held.status, held.headers['access-control-allow-credentials']]).toEqual([403, undefined]);
    const bearer = await list({ headers: { authorization: `Bearer ${owner.token}` } });
    expect([bearer.status, bearer.headers['access-control-allow-origin']]).toEqual([200, '*']);
    expect(bearer.headers['access-control-allow-credentials']).toBeUndefined();
  });

  it('does not affect a platform origin, which can use the cookie', async () => {
    const asked = await preflight(app, '/v1/collections', CONSOLE);
    expect(asked.headers['access-control-allow-origin']).toBe(CONSOLE);
    expect(asked.headers['access-control-allow-credentials']).toBe('true');
  });
});

describe('without CORS_ORIGINS', () => {
  it.each(['http://localhost:5173', 'http://127.0.0.1:8080', 'https://localhost', 'http://[::1]:3000'])(
    'a page of this machine, %s, may call outside production',
    async origin => {
      const asked = await preflight(await startApp(), '/v1/collections', origin);
      expect([asked.status, asked.headers['access-control-allow-origin']]).toEqual([204, origin]);
      expect(asked.headers['access-control-allow-credentials']).toBeUndefined();
    },
  );

  it.each([
    'http://localhost.evil.example',
    'http://localhost:5173.evil.example',
    'http://evil.localhost',
    'http://127.0.0.2',
    'http://127.0.0.1:5173/',
    'http://LOCALHOST',
    'null',
    PAGE,
  ])('a page of %s may not', async origin => {
    const asked = await preflight(await startApp(), '/v1/collections', origin);
    expect([asked.status, grants(asked)]).toEqual([405, NONE]);
  });

  it('a page on the same machine cannot use the cookie', async () => {
    const app = await startApp();
    const { org } = await newHome(app);
    const headers = {
      ...cookie(org.owner.token),
      origin: 'http://localhost:5173',
      'sec-fetch-site': 'same-site',
    };
    expect(outcome(await app.request('GET', '/v1/collections', { headers }))).toEqual([403, 'CsrfRefused']);
  });
});
