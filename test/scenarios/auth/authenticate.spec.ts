import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp, type TestRequest } from '../../harness/app.js';
import { roundTrips } from '../../harness/round-trips.js';
import { cookie, type Person, person } from './person.js';

const CONSOLE = 'https://console.example.com';
let app: TestApp;
let somebody: Person;

beforeAll(async () => {
  app = await startOwnApp({ database: 'own', environment: { PLATFORM_ORIGINS: CONSOLE } });
  somebody = await person(app);
});
afterAll(() => app.close());

/** Status of GET /v2/me with exactly these headers, including repeated ones. */
function statusOf(...headers: string[]): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${app.url}/v2/me`, { headers: ['Host', new URL(app.url).host, ...headers] });
    request.on('error', reject).on('response', response => {
      response.resume();
      resolve(response.statusCode);
    });
    request.end();
  });
}

describe('a credential in continuous use', () => {
  it('is verified once for concurrent requests, and then causes no round trip', async () => {
    const { token } = await person(app);
    // The request is refused for its body, after authentication and before any other query.
    const refused = () => app.request('POST', '/v2/user/accessTokens', { token, body: {} });
    const burst = async () => {
      const answers = await Promise.all(Array.from({ length: 20 }, refused));
      expect(answers.map(answer => answer.status)).toEqual(Array(20).fill(400));
    };
    // Queries for session, user and memberships, and sometimes the signing keys.
    expect(await roundTrips(app, burst)).toBeLessThanOrEqual(4);
    const steadily = async () => {
      for (let index = 0; index < 10; index++) expect((await refused()).status).toBe(400);
    };
    // After five seconds it is verified again.
    await expect.poll(() => roundTrips(app, steadily)).toBe(0);
  });
});

describe('a request with several credentials', () => {
  it('is refused with 400 when two of them are in headers', async () => {
    const { accessToken, orgApiKey } = app.bootstrap;
    const answer = await app.request('GET', '/v2/me', { token: accessToken, key: orgApiKey });
    expect(answer).toMatchObject({ status: 400, body: { error: 'InvalidArguments' } });
  });

  it('is authenticated by the header, and the cookie is not read', async () => {
    const me = await app.request('GET', '/v2/me', {
      token: app.bootstrap.accessToken,
      headers: cookie(somebody.token),
    });
    expect(me.body.id).toBe(app.bootstrap.userId);
    const bad = await app.request('GET', '/v2/me', { token: 'at:x', headers: cookie(somebody.token) });
    expect(bad.status).toBe(401);
  });

  it('is refused when a header or the cookie is repeated', async () => {
    const bearer = `Bearer ${somebody.token}`;
    expect(await statusOf('Authorization', bearer)).toBe(200);
    expect(await statusOf('Authorization', bearer, 'authorization', bearer)).toBe(401);
    const key = app.bootstrap.orgApiKey;
    expect(await statusOf('X-Platform-Api-Key', key)).toBe(200);
    expect(await statusOf('X-Platform-Api-Key', key, 'x-platform-api-key', key)).toBe(401);
    const held = `access-token=${somebody.token}`;
    expect(await statusOf('Cookie', held)).toBe(200);
    expect(await statusOf('Cookie', held, 'Cookie', held)).toBe(401);
  });
});

describe('the challenge of a 401', () => {
  const challenge = async (path: string, request: TestRequest) => {
    const { status, headers } = await app.request('POST', path, { body: {}, ...request });
    expect(status).toBe(401);
    return headers.get('www-authenticate');
  };
  const PATHS = ['/v2/user/accessTokens', '/v1/collections', '/v1/mcp'];

  it.each(PATHS)(
    'names the error to a bearer token that does not count, beside where to get one: %s',
    async path => {
      const { token } = await person(app);
      expect((await app.request('POST', '/v2/logout', { token })).status).toBe(204);
      const tokens = [token, 'at:unknown', 'abc', app.bootstrap.orgApiKey, 'not one token'];
      for (const each of tokens) {
        expect(await challenge(path, { token: each })).toBe(
          `${await challenge(path, {})}, error="invalid_token", error_description="The token is invalid or has expired."`,
        );
      }
    },
  );

  it.each(PATHS)('contains no error when the request had no bearer token: %s', async path => {
    const requests: TestRequest[] = [
      {},
      { key: 'iak_default_3f6c1c9e-7d1b-4c0a-9a54-2b8e6f0a1f3c' },
      { headers: cookie('abc') },
      { headers: { authorization: 'Basic dTpw' } },
      { headers: { authorization: 'Bearer' } },
    ];
    for (const each of requests) {
      expect(await challenge(path, each)).toMatch(/^Bearer resource_metadata="[^"]+"$/);
    }
  });

  it('is not sent by a public route that ignores the token', async () => {
    const { status, headers } = await app.request('POST', '/v2/orgs/default/api-keys/validate', {
      token: 'abc',
      body: { apiKey: 'iak_default_3f6c1c9e-7d1b-4c0a-9a54-2b8e6f0a1f3c' },
    });
    expect(status).toBe(401);
    expect(headers.get('www-authenticate')).not.toContain('error');
  });
});

describe('a malformed credential', () => {
  it.each([
    ['Authorization', ''],
    ['Authorization', 'Bearer'],
    ['Authorization', 'Basic dTpw'],
    ['Authorization', 'Bearer null'],
    ['x-platform-api-key', ''],
    ['x-platform-api-key', 'iak_default_3f6c1c9e-7d1b-4c0a-9a54-2b8e6f0a1f3c'],
    ['x-platform-api-key', 'wak_x'],
    ['Cookie', 'access-token='],
    ['Cookie', 'access-token=%'],
  ])('is refused with 401: %s: %s', async (name, value) => {
    expect(await statusOf(name, value)).toBe(401);
  });

  it('is refused when it is of another kind than its header', async () => {
    expect((await app.request('GET', '/v2/me', { token: app.bootstrap.orgApiKey })).status).toBe(401);
    expect((await app.request('GET', '/v2/me', { key: somebody.token })).status).toBe(401);
  });

  it('is ignored on a public route', async () => {
    expect((await app.request('GET', '/oidc/jwks', { token: 'x', key: 'y' })).status).toBe(200);
  });
});

describe('a write with the cookie', () => {
  const change = (headers: Record<string, string>) =>
    app.request('DELETE', '/v2/user/sessions', { headers: { ...cookie(somebody.token), ...headers } });

  it.each<Record<string, string>>([{ 'sec-fetch-site': 'same-origin' }, { origin: CONSOLE }])(
    'passes with %j',
    async headers => {
      expect((await change(headers)).status).toBe(204);
    },
  );

  it.each<Record<string, string>>([
    {},
    { 'sec-fetch-site': 'cross-site' },
    { origin: 'https://evil.example' },
    { origin: 'null' },
  ])('is refused with %j', async headers => {
    expect(await change(headers)).toMatchObject({ status: 403, body: { error: 'CsrfRefused' } });
  });

  it('is refused before its body is read, and writes nothing', async () => {
    const answer = await app.request('POST', '/v2/user/webSessionTicket', {
      headers: cookie(somebody.token),
      raw: '{',
    });
    expect(answer.body.error).toBe('CsrfRefused');
    expect(
      await app.sql('SELECT 1 FROM web_session_tickets WHERE session_id = $1', [somebody.sessionId]),
    ).toEqual([]);
  });

  it('needs no origin check if it only reads, or uses a bearer token', async () => {
    expect((await app.request('GET', '/v2/me', { headers: cookie(somebody.token) })).status).toBe(200);
    const headers = { 'sec-fetch-site': 'cross-site' };
    const answer = await app.request('DELETE', '/v2/user/sessions', { token: somebody.token, headers });
    expect(answer.status).toBe(204);
  });
});
