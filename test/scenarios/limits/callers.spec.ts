import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp, type TestResponse } from '../../harness/app.js';
import {
  type Caller,
  type Home,
  newCollection,
  newHome,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { roundTrips } from '../../harness/round-trips.js';
import { StoppedClock, signIn } from '../auth/person.js';
import { newKey, newSlug } from '../orgs/org.js';

const clock = new StoppedClock();
let app: TestApp;
let home: Home;
let collection: TestCollection;

beforeAll(async () => {
  const limits = {
    RATE_LIMIT_DEFAULT: '5',
    RATE_LIMIT_WRITE: '3',
    RATE_LIMIT_BULK: '2',
    RATE_LIMIT_ASK: '2',
    RATE_LIMIT_LOGIN_PROVIDERS: '2',
    RATE_LIMIT_SERVICE_ACCOUNT_TOKENS: '2',
  };
  app = await startOwnApp({ database: 'own', clock, environment: { RATE_LIMITS: 'on', ...limits } });
  home = await newHome(app);
  collection = await newCollection(app, home);
});
beforeEach(() => clock.move(60));
afterAll(() => app.close());

const count = (caller: Caller = home.owner) => app.request('GET', `${collection.data}/count`, caller);
const insert = () => app.request('POST', collection.data, { ...home.owner, body: { records: [{ a: 1 }] } });
const bulk = () =>
  app.request('POST', `${collection.data}/bulk`, { ...home.owner, body: { records: [{ a: 1 }] } });

async function statuses(times: number, request: () => Promise<TestResponse>): Promise<number[]> {
  const answers: number[] = [];
  for (let index = 0; index < times; index++) answers.push((await request()).status);
  return answers;
}

const header = ({ headers }: TestResponse, name: string) => headers.get(name);

describe('the rate limits of the collections service', () => {
  it('allow a caller the configured number of requests per minute, and more in the next minute', async () => {
    expect(await statuses(6, count)).toEqual([200, 200, 200, 200, 200, 429]);
    clock.move(59);
    expect((await count()).status).toBe(429);
    clock.move(1);
    expect(await statuses(6, count)).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('count inserts, bulk inserts and other requests separately', async () => {
    expect(await statuses(4, insert)).toEqual([200, 200, 200, 429]);
    expect(await statuses(3, bulk)).toEqual([201, 201, 429]);
    expect(await statuses(6, count)).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('prevent writes of refused requests', async () => {
    await statuses(4, insert);
    clock.move(60);
    const before = (await count()).body.count;
    await statuses(5, insert);
    expect((await count()).body.count).toBe(before + 3);
  });

  it('count operations on collections themselves by the default limit', async () => {
    const list = () => app.request('GET', '/v1/collections', home.owner);
    expect(await statuses(6, list)).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('are separate for each caller', async () => {
    await statuses(6, count);
    const key = { key: (await newKey(app, home.org)).apiKey };
    expect(await statuses(6, () => count(key))).toEqual([200, 200, 200, 200, 200, 429]);
  });

  it('are shared by all sessions of a person', async () => {
    await statuses(5, count);
    const again = await signIn(app, home.org.owner.userId);
    expect((await count({ token: again.token })).status).toBe(429);
  });

  it("count the platform's own routes separately, so that a busy caller can still sign out", async () => {
    await statuses(6, count);
    const me = () => app.request('GET', '/v2/me', home.owner);
    expect(header(await me(), 'ratelimit-policy')).toBe('"platform";q=5;w=60');
    expect(await statuses(5, me)).toEqual([200, 200, 200, 200, 429]);
    expect((await app.request('GET', home.org.path, home.owner)).status).toBe(429);
  });

  it('count suggested schemas as questions, over MCP too', async () => {
    const suggest = () =>
      app.request('POST', '/v1/suggest-schema', { ...home.owner, body: { description: 'books' } });
    expect(await statuses(2, suggest)).toEqual([200, 200]);
    const params = { name: 'suggest_schema', arguments: { description: 'books' } };
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/call', params };
    const refused = await app.request('POST', '/v1/mcp', { ...home.owner, body });
    expect(refused.text).toContain('TooManyRequests');
    expect(await statuses(1, suggest)).toEqual([429]);
  });

  it('count by address where anybody may ask: lists of providers and tokens of service accounts', async () => {
    const list = () => app.request('GET', '/v2/login/providers');
    expect(await statuses(3, list)).toEqual([200, 200, 429]);
    const account = { slug: newSlug(), name: 'A', permissions: [] };
    const accounts = `${home.org.path}/service-accounts`;
    const { clientSecret } = (await app.request('POST', accounts, { ...home.owner, body: account })).body;
    const ask = () => app.request('POST', `${accounts}/${account.slug}/token`, { body: { clientSecret } });
    expect(await statuses(3, ask)).toEqual([201, 201, 429]);
  });
});

describe('an answer of the collections service', () => {
  it('states the rest of the limit, and when the count starts again', async () => {
    const first = await count();
    expect(header(first, 'ratelimit-limit')).toBe('5');
    expect(header(first, 'ratelimit-remaining')).toBe('4');
    expect(header(first, 'ratelimit-reset')).toBe('60');
    expect(header(first, 'ratelimit-policy')).toBe('"default";q=5;w=60');
    expect(header(first, 'ratelimit')).toBe('"default";r=4;t=60');
    expect(header(first, 'retry-after')).toBeNull();
    clock.move(20);
    const second = await count();
    expect(header(second, 'ratelimit-remaining')).toBe('3');
    expect(Number(header(second, 'ratelimit-reset'))).toBeLessThanOrEqual(40);
    expect(header(await bulk(), 'ratelimit-policy')).toBe('"bulk";q=2;w=60');
  });

  it('states how long to wait after a refused request', async () => {
    await statuses(5, count);
    clock.move(10);
    const refused = await count();
    expect(outcome(refused)).toEqual([429, 'TooManyRequests']);
    expect(Object.keys(refused.body).sort()).toEqual(['error', 'message']);
    expect(header(refused, 'ratelimit-remaining')).toBe('0');
    const wait = Number(header(refused, 'retry-after'));
    expect(wait).toBeGreaterThan(0);
    expect(wait).toBeLessThanOrEqual(50);
    clock.move(wait);
    expect((await count()).status).toBe(200);
  });

  it('is 401 before 429, and 429 before 404 and before errors in the body', async () => {
    await statuses(5, count);
    const path = '/v1/collections/00000000-0000-7000-8000-000000000000';
    expect(outcome(await app.request('GET', path, home.owner))).toEqual([429, 'TooManyRequests']);
    expect(outcome(await app.request('GET', path))).toEqual([401, 'Unauthorized']);
    await statuses(3, insert);
    const bad = await app.request('POST', collection.data, { ...home.owner, raw: '{' });
    expect(outcome(bad)).toEqual([429, 'TooManyRequests']);
  });
});

describe('counting a caller', () => {
  it('causes no round trip', async () => {
    await statuses(5, count);
    const refused = async () => expect((await count()).status).toBe(429);
    // The credential is verified again every five seconds.
    await expect.poll(() => roundTrips(app, refused)).toBe(0);
  });
});

describe('RATE_LIMITS=off', () => {
  it('disables every limit and its headers', async () => {
    const off = await startOwnApp({
      database: { url: app.settings.DATABASE_URL as string },
      environment: { RATE_LIMIT_DEFAULT: '1', RATE_LIMIT_ANONYMOUS: '1', RATE_LIMIT_AUTH_FAILURES: '1' },
    });
    try {
      const { apiKey: key } = await newKey(app, home.org);
      const ask = (path: string, caller: Caller) => off.request('GET', path, caller);
      const answers = [
        await ask(`${collection.data}/count`, { key }),
        await ask(`${collection.data}/count`, { key }),
        await off.request('POST', '/v2/login/anonymous'),
        await off.request('POST', '/v2/login/anonymous'),
        await ask('/v2/me', { token: 'wrong' }),
        await ask('/v2/me', { token: 'wrong' }),
      ];
      expect(answers.map(answer => answer.status)).toEqual([200, 200, 201, 201, 401, 401]);
      const names = answers.flatMap(answer => [...answer.headers.keys()]);
      expect(names.filter(name => name.includes('ratelimit'))).toEqual([]);
    } finally {
      await off.close();
    }
  });
});
