import { request as httpRequest } from 'node:http';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { SourceAttempts } from '../../../src/platform/http/rate-limit/source-attempts.service.js';
import { startOwnApp, type TestApp, type TestRequest, type TestResponse } from '../../harness/app.js';
import { outcome } from '../../harness/collection.js';
import { cookie } from '../auth/person.js';

const environment = {
  RATE_LIMITS: 'on',
  TRUSTED_PROXIES: '127.0.0.1',
  RATE_LIMIT_ANONYMOUS: '60',
  RATE_LIMIT_WEB_SESSION: '3',
  RATE_LIMIT_AUTH_FAILURES: '60',
  DATABASE_POOL_SIZE: '4',
};
let app: TestApp;
let other: TestApp;
let last = 0;
let ip: string;

beforeAll(async () => {
  app = await startOwnApp({ database: 'own', environment });
  other = await startOwnApp({ database: { url: app.settings.DATABASE_URL as string }, environment });
});
beforeEach(() => {
  ip = `203.0.113.${++last}`;
});
afterAll(async () => {
  await other.close();
  await app.close();
});

const from = (address: string) => ({ 'x-forwarded-for': address });
const logIn = (instance = app, address = ip) =>
  instance.request('POST', '/v2/login/anonymous', { headers: from(address) });
const me = (credential: TestRequest, instance = app, address = ip) =>
  instance.request('GET', '/v2/me', { ...credential, headers: { ...from(address), ...credential.headers } });
const enter = (address = ip) =>
  app.request('GET', '/v2/user/webSession?ticket=x&redirect=/docs', { headers: from(address) });

/** Counts the statuses of `times` concurrent requests, sent to both instances in turn. */
async function tally(times: number, request: (instance: TestApp) => Promise<TestResponse>) {
  const answers = await Promise.all(
    Array.from({ length: times }, (_, index) => request(index % 2 === 0 ? app : other)),
  );
  const counts: Record<number, number> = {};
  for (const { status } of answers) counts[status] = (counts[status] ?? 0) + 1;
  return counts;
}

async function inTurn(times: number, request: () => Promise<TestResponse>): Promise<number[]> {
  const statuses: number[] = [];
  for (let index = 0; index < times; index++) statuses.push((await request()).status);
  return statuses;
}

/** Ends the current minute of every counter. */
const nextMinute = () => app.sql(`UPDATE rate_limits SET ends_at = now() - interval '1 millisecond'`);

describe('a rate limit of sign-in', () => {
  it('is exact across two instances: of 200 concurrent attempts, 60 pass', async () => {
    expect(await tally(200, logIn)).toEqual({ 201: 60, 429: 140 });
  });

  it('creates no user for refused attempts', async () => {
    const users = async () => (await app.sql('SELECT count(*)::int AS n FROM users'))[0].n;
    const before = await users();
    await tally(80, logIn);
    expect(await users()).toBe(before + 60);
  });

  it('states the remaining attempts, and the time to wait after a refused one', async () => {
    const first = await logIn();
    expect(first.headers.get('ratelimit-limit')).toBe('60');
    expect(first.headers.get('ratelimit-remaining')).toBe('59');
    expect(first.headers.get('ratelimit-policy')).toBe('"anonymous";q=60;w=60');
    await tally(60, logIn);
    for (const instance of [app, other, app]) {
      const refused = await logIn(instance);
      expect(outcome(refused)).toEqual([429, 'TooManyRequests']);
      expect(refused.headers.get('ratelimit-remaining')).toBe('0');
      const wait = Number(refused.headers.get('retry-after'));
      expect(wait).toBeGreaterThan(0);
      expect(wait).toBeLessThanOrEqual(60);
    }
  });

  it('counts each address separately', async () => {
    await tally(61, logIn);
    expect((await logIn()).status).toBe(429);
    expect((await logIn(app, '198.51.100.7')).status).toBe(201);
  });

  it('counts an IPv6 client by its /64, and an IPv4-mapped IPv6 address as the IPv4 address', async () => {
    const remaining = async (address: string) =>
      (await logIn(app, address)).headers.get('ratelimit-remaining');
    expect(await remaining('2001:db8:1:2::1')).toBe('59');
    expect(await remaining('2001:db8:1:2:ffff:ffff:ffff:ffff')).toBe('58');
    expect(await remaining('2001:db8:1:3::1')).toBe('59');
    expect(await remaining('192.0.2.77')).toBe('59');
    expect(await remaining('::ffff:192.0.2.77')).toBe('58');
  });

  it('cannot be bypassed with an address that no trusted proxy has added', async () => {
    const remaining = async (forged: string) =>
      (await logIn(app, `${forged}, ${ip}`)).headers.get('ratelimit-remaining');
    expect([await remaining('198.51.100.1'), await remaining('198.51.100.2')]).toEqual(['59', '58']);
  });

  it('is checked before the body is read', async () => {
    await tally(60, logIn);
    const bad = { raw: '{', headers: { ...from(ip), 'content-type': 'application/json' } };
    expect(outcome(await app.request('POST', '/v2/login/anonymous', bad))).toEqual([429, 'TooManyRequests']);
  });

  it('starts again in the next minute, on every instance', async () => {
    expect(await tally(60, logIn)).toEqual({ 201: 60 });
    await nextMinute();
    expect(await tally(61, logIn)).toEqual({ 201: 60, 429: 1 });
  });

  it('applies to web sessions too, and not to the HEAD request of a link preview', async () => {
    const head = () => app.request('HEAD', '/v2/user/webSession', { headers: from(ip) });
    expect(await inTurn(5, head)).toEqual([405, 405, 405, 405, 405]);
    expect(await inTurn(4, enter)).toEqual([401, 401, 401, 429]);
    expect((await logIn()).status).toBe(201);
  });
});

describe('refused credentials', () => {
  const wrong = { token: 'wrong' };

  it('are counted exactly across two instances: after 60 in a minute comes 429', async () => {
    expect(await tally(200, instance => me(wrong, instance))).toEqual({ 401: 60, 429: 140 });
    const refused = await me(wrong);
    expect(outcome(refused)).toEqual([429, 'TooManyRequests']);
    expect(Number(refused.headers.get('retry-after'))).toBeGreaterThan(0);
  });

  it('do not lock out valid credentials of any kind from the same address', async () => {
    const { accessToken, orgApiKey, orgSlug } = app.bootstrap;
    const session = (await logIn()).body.token;
    const guess = { key: `iak_${orgSlug}_00000000-0000-4000-8000-000000000000` };
    expect(await tally(61, instance => me(guess, instance))).toEqual({ 401: 60, 429: 1 });
    for (const good of [{ token: session }, { headers: cookie(session) }]) {
      expect((await me(good)).status).toBe(200);
    }
    for (const good of [{ token: accessToken }, { key: orgApiKey }]) {
      expect((await me(good)).status).toBe(200);
      expect((await me(good, other)).status).toBe(200);
    }
    expect((await me(guess)).status).toBe(429);
  });

  it('do not lock out other addresses', async () => {
    await tally(61, instance => me(wrong, instance));
    expect((await me(wrong, app, '198.51.100.8')).status).toBe(401);
  });

  it('are counted; valid credentials never are', async () => {
    await inTurn(5, () => me({ token: app.bootstrap.accessToken }));
    expect(await app.sql('SELECT 1 FROM rate_limits WHERE source = $1', [ip])).toEqual([]);
  });

  it('count whatever their form, while a request without a credential does not', async () => {
    const { accessToken, orgApiKey } = app.bootstrap;
    expect(await inTurn(3, () => me({}))).toEqual([401, 401, 401]);
    expect((await me({ token: accessToken, key: orgApiKey })).status).toBe(400);
    expect(await app.sql('SELECT 1 FROM rate_limits WHERE source = $1', [ip])).toEqual([]);
    for (const odd of [
      { token: 'wrong' },
      { token: 'at:wrong' },
      { key: 'wrong' },
      { headers: cookie('wrong') },
    ]) {
      expect((await me(odd)).status).toBe(401);
    }
    const counted = await app.sql('SELECT name, attempts FROM rate_limits WHERE source = $1', [ip]);
    expect(counted).toEqual([{ name: 'auth-failures', attempts: 4 }]);
  });

  it('count where a route only checks a key', async () => {
    const { orgApiKey, orgSlug } = app.bootstrap;
    const validate = (apiKey: string) => (instance: TestApp) =>
      instance.request('POST', `/v2/orgs/${orgSlug}/api-keys/validate`, {
        body: { apiKey },
        headers: from(ip),
      });
    const guess = `iak_${orgSlug}_00000000-0000-4000-8000-000000000000`;
    expect(await tally(61, validate(guess))).toEqual({ 401: 60, 429: 1 });
    expect((await validate(orgApiKey)(app)).status).toBe(200);
  });

  it('are reset in the next minute', async () => {
    await tally(60, instance => me(wrong, instance));
    await nextMinute();
    expect((await me(wrong)).status).toBe(401);
  });
});

describe('the counters', () => {
  it('are deleted when their minute is over, and not before', async () => {
    await logIn(app, '198.51.100.20');
    await nextMinute();
    await logIn(app, '198.51.100.21');
    expect(await app.nest.get(SourceAttempts).removeExpired()).toBeGreaterThan(0);
    expect(await app.sql('SELECT source FROM rate_limits')).toEqual([{ source: '198.51.100.21' }]);
  });
});

describe('without a trusted proxy', () => {
  it('forged addresses have no effect: the address of the socket counts', async () => {
    const bare = await startOwnApp({
      database: { url: app.settings.DATABASE_URL as string },
      environment: { ...environment, TRUSTED_PROXIES: '', RATE_LIMIT_ANONYMOUS: '2' },
    });
    try {
      const statuses = [];
      for (const header of ['X-Forwarded-For', 'Forwarded', 'X-Real-IP', 'X-Client-IP']) {
        statuses.push(await post(bare, '/v2/login/anonymous', [header, '198.51.100.99']));
      }
      expect(statuses).toEqual([201, 201, 429, 429]);
    } finally {
      await bare.close();
    }
  });
});

function post(instance: TestApp, path: string, headers: string[]): Promise<number | undefined> {
  return new Promise((resolve, reject) => {
    const options = {
      method: 'POST',
      headers: ['Host', new URL(instance.url).host, 'Content-Length', '0', ...headers],
    };
    const request = httpRequest(`${instance.url}${path}`, options);
    request.on('error', reject).on('response', response => {
      response.resume();
      resolve(response.statusCode);
    });
    request.end();
  });
}
