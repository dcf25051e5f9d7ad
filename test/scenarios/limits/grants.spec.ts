import { afterAll, beforeAll, beforeEach, expect, it } from 'vitest';
import { startOwnApp, type TestApp, type TestResponse } from '../../harness/app.js';
import { type Caller, type Home, newCollection, newHome, newName } from '../../harness/collection.js';
import { StoppedClock } from '../auth/person.js';
import { newMember } from '../orgs/org.js';
import { newGroup, withGroup, withUser } from '../sharing/sharing.js';

const clock = new StoppedClock();
let app: TestApp;
let home: Home;
beforeAll(async () => {
  const limits = {
    RATE_LIMIT_DEFAULT: '50',
    RATE_LIMIT_ANONYMOUS_READS: '4',
    RATE_LIMIT_ANONYMOUS_WRITES: '2',
  };
  app = await startOwnApp({ database: 'own', clock, environment: { RATE_LIMITS: 'on', ...limits } });
  home = await newHome(app);
});
beforeEach(() => clock.move(60));
afterAll(() => app.close());

async function statuses(times: number, request: () => Promise<TestResponse>): Promise<number[]> {
  const answers: number[] = [];
  for (let index = 0; index < times; index++) answers.push((await request()).status);
  return answers;
}

const LIMITS = { reads_per_minute: 2, writes_per_minute: 1 };

/** A collection that is shared with a new member, and with groups of it, each with these limits. */
async function shared(own: object | null, ...ofGroups: (object | null)[]) {
  const books = await newCollection(app, home);
  const person = await newMember(app, home.org);
  const share = async (bound: object, limits: object | null) => {
    const body = { ...bound, role: 'editor', ...(limits && { limits }) };
    const { status } = await app.request('POST', `${books.path}/access`, { ...home.owner, body });
    expect(status).toBe(201);
  };
  await share(withUser(person), own);
  for (const limits of ofGroups)
    await share(withGroup(home.org, await newGroup(app, home.org, person)), limits);
  return { books, ...using(books.data, { token: person.token }) };
}

function using(data: string, caller: Caller) {
  return {
    read: () => app.request('GET', `${data}/count`, caller),
    write: () => app.request('POST', data, { ...caller, body: { records: {} } }),
  };
}

it('counts reads and writes of one caller of a grant, separately and by the minute', async () => {
  const { read, write } = await shared(LIMITS);
  expect(await statuses(3, read)).toEqual([200, 200, 429]);
  expect(await statuses(2, write)).toEqual([200, 429]);
  expect(Number((await read()).headers.get('retry-after'))).toBeGreaterThan(0);
  clock.move(60);
  expect(await statuses(1, read)).toEqual([200]);
});

it('counts each collection and each caller for itself', async () => {
  const { books, read } = await shared(LIMITS);
  expect(await statuses(3, read)).toEqual([200, 200, 429]);
  expect(await statuses(3, using(books.data, home.owner).read)).toEqual([200, 200, 200]);
  expect(await statuses(2, (await shared(LIMITS)).read)).toEqual([200, 200]);
});

it('lets the highest limit of several grants count, and the general one where a grant has none', async () => {
  const higher = await shared(LIMITS, { reads_per_minute: 3 });
  expect(await statuses(4, higher.read)).toEqual([200, 200, 200, 429]);
  expect(await statuses(3, higher.write)).toEqual([200, 200, 200]);
  const without = await shared(LIMITS, null);
  expect(await statuses(4, without.read)).toEqual([200, 200, 200, 200]);
});

it('never allows more than the general limit', async () => {
  const { read } = await shared({ reads_per_minute: 1000 });
  expect((await statuses(51, read)).at(-1)).toBe(429);
});

it('counts calls with a collection key that has limits', async () => {
  const books = await newCollection(app, home);
  const body = { slug: newName(), name: 'Key', limits: LIMITS };
  const { secret } = (await app.request('POST', `${books.path}/api-keys`, { ...home.owner, body })).body;
  expect(await statuses(3, using(books.data, { key: secret }).read)).toEqual([200, 200, 429]);
});

it('allows anonymous callers less, each and from one address together', async () => {
  const auth = { anonymous: { enabled: true, role: 'member' } };
  expect((await app.request('PATCH', home.org.path, { ...home.owner, body: { auth } })).status).toBe(200);
  const books = await newCollection(app, home);
  const bound = { principal_type: 'anonymous', principal_id: home.org.slug };
  const body = {
    ...bound,
    role: 'editor',
    rules: { read: true, create: true },
    limits: { reads_per_minute: 100 },
  };
  expect((await app.request('POST', `${books.path}/access`, { ...home.owner, body })).status).toBe(201);
  const person = async () => {
    const login = await app.request('POST', '/v2/login/anonymous', { body: { orgSlug: home.org.slug } });
    return using(books.data, { token: login.body.token });
  };
  const [ada, bob] = [await person(), await person()];
  expect(await statuses(3, ada.read)).toEqual([200, 200, 200]);
  expect(await statuses(2, bob.read)).toEqual([200, 429]);
  expect(await statuses(1, ada.read)).toEqual([429]);
  expect(await statuses(3, ada.write)).toEqual([200, 200, 429]);
});
