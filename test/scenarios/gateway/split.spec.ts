import { randomUUID } from 'node:crypto';
import { setTimeout as pause } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { isOwnPath } from '../../../src/platform/config/upstreams.js';
import { routesOf } from '../../architecture/routes.js';
import { startApp, type TestApp, type TestRequest } from '../../harness/app.js';
import {
  type Caller,
  eventsOf,
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  read,
  type TestCollection,
} from '../../harness/collection.js';
import { cookie, StoppedClock } from '../auth/person.js';
import { connect } from '../mcp/client.js';
import { newKey, newMember, newSlug } from '../orgs/org.js';
import { exported, importFile, NDJSON, newLibrary, numbered, upload } from '../transfer/transfer.js';
import { type Split, startSplit } from './split.js';

/** The parts in which the answers of two instances differ although the state is the same. */
const OF_THE_MOMENT = ['date', 'x-correlation-id', 'ratelimit-reset', 'ratelimit', 'etag'];

let split: Split;
let gateway: TestApp;
let runtime: TestApp;
let home: Home;
let books: TestCollection;
beforeAll(async () => {
  // No minute of a rate limit ends between two requests that are compared.
  split = await startSplit({ environment: { RATE_LIMITS: 'on' }, clock: new StoppedClock() });
  ({ gateway, runtime } = split);
  home = await newHome(gateway);
  books = await newCollection(gateway, home, { properties: { title: { type: 'text' } } });
});
afterAll(() => split.close());

/** Sends the same request through the gateway and to the runtime itself. */
async function both(method: string, path: string, request: TestRequest = {}) {
  const through = await gateway.request(method, path, request);
  const direct = await runtime.request(method, path, request);
  return { through, direct };
}

const headersOf = ({ headers }: { headers: Headers }) =>
  Object.fromEntries([...headers].filter(([name]) => !OF_THE_MOMENT.includes(name)));

describe('a gateway and a runtime share the platform', () => {
  it('the runtime answers /v1 and health; the gateway answers sign-in, organizations and keys', async () => {
    const { token } = home.owner;
    for (const path of ['/v2/me', '/oidc/jwks', '/v2/workspaces', '/docs', '/openapi.json']) {
      expect((await runtime.request('GET', path, { token })).status, path).toBe(404);
      expect((await gateway.request('GET', path, { token })).status, path).toBe(200);
    }
    for (const app of [gateway, runtime]) {
      expect((await app.request('GET', '/health/ready')).status).toBe(200);
      expect((await app.request('GET', '/v1/collections', { token })).status).toBe(200);
    }
  });

  it('only the runtime serves requests of /v1', async () => {
    await split.runtime.sql('SELECT 1');
    const before = await gateway.request('GET', '/v1/collections', home.owner);
    expect(before.headers.get('ratelimit-limit')).toBe('6000');
    const { through, direct } = await both('GET', '/v1/collections', home.owner);
    const remaining = [before, through, direct].map(({ headers }) =>
      Number(headers.get('ratelimit-remaining')),
    );
    // The runtime counts in its memory, whether or not a request comes through the gateway.
    expect(remaining.map(each => remaining[0]! - each)).toEqual([0, 1, 2]);
  });
});

describe('the same request gets the same response directly and through the gateway', () => {
  it.each<[string, string, string, TestRequest]>([
    ['a list', 'GET', '/v1/collections?limit=5', {}],
    ['a body that is none', 'POST', '{data}', { raw: '{' }],
    ['a body of another type', 'POST', '{data}', { raw: 'x', headers: { 'content-type': 'text/plain' } }],
    ['no body at all', 'POST', '{data}', {}],
    ['a query of odd bytes', 'GET', '{path}?x=%ff', {}],
    ['a path of odd bytes', 'GET', '/v1/collections/%ff', {}],
    ['what is not there', 'GET', `/v1/collections/${randomUUID()}`, {}],
    ['a path of nobody', 'GET', '/v1/nothing/here', {}],
    ['a method that is not', 'PUT', '{data}', { body: {} }],
    ['a head', 'HEAD', '/v1/collections', {}],
    ['a count', 'POST', '{data}/count', { body: { filter: {} } }],
    ['a search', 'POST', '{data}/query', { body: { filter: { title: { $ne: 'x' } }, limit: 3 } }],
    ['a bad filter', 'POST', '{data}/query', { body: { filter: { title: { $where: 1 } } } }],
  ])('%s', async (_, method, path, request) => {
    const where = path.replace('{data}', books.data).replace('{path}', books.path);
    const { through, direct } = await both(method, where, { ...home.owner, ...request });
    expect([through.status, through.text]).toEqual([direct.status, direct.text]);
    const rate = 'ratelimit-remaining';
    const { [rate]: one, ...headers } = headersOf(through);
    const { [rate]: other, ...expected } = headersOf(direct);
    expect(headers).toEqual(expected);
    expect(Number(one ?? 1) - Number(other ?? 0)).toBe(1);
  });

  it('an MCP client', async () => {
    const [through, direct] = await Promise.all(
      [gateway, { url: runtime.settings.RUNTIME_URL as string }].map(each => connect(each, home.owner)),
    );
    expect(await through!.sdk.listTools()).toEqual(await direct!.sdk.listTools());
    const found = await through!.call('data_discover');
    expect([found.error, found.data]).toEqual([undefined, (await direct!.call('data_discover')).data]);
  });

  it('no credential and invalid ones', async () => {
    const requests: TestRequest[] = [
      {},
      { token: 'x' },
      { key: 'iak_none' },
      { headers: { 'x-platform-user-id': home.org.owner.userId } },
      { token: home.owner.token, key: 'iak_x' },
    ];
    for (const request of requests) {
      const { through, direct } = await both('GET', books.path, request);
      expect([through.status, through.text]).toEqual([direct.status, direct.text]);
      expect([400, 401]).toContain(direct.status);
      expect(through.headers.get('www-authenticate')).toBe(direct.headers.get('www-authenticate'));
    }
  });

  it('over the rate limit: 429 with Retry-After', async () => {
    const { apiKey: key } = await newKey(gateway, home.org, { permissions: ['collections:*'] });
    const tight = await startSplit({ environment: { RATE_LIMITS: 'on', RATE_LIMIT_DEFAULT: '1' } });
    try {
      expect((await tight.gateway.request('GET', '/v1/collections', { key })).status).toBe(200);
      const { through, direct } = {
        through: await tight.gateway.request('GET', '/v1/collections', { key }),
        direct: await tight.runtime.request('GET', '/v1/collections', { key }),
      };
      expect([outcome(through), outcome(direct)]).toEqual(Array(2).fill([429, 'TooManyRequests']));
      expect(Number(through.headers.get('retry-after'))).toBeGreaterThan(0);
    } finally {
      await tight.close();
    }
  });

  it('with entity tags and If-Match', async () => {
    const [id] = await insert(gateway, books, { title: 'Emma' });
    const path = `${books.data}/${id}`;
    const { through, direct } = await both('GET', path, home.owner);
    const tag = through.headers.get('etag') as string;
    expect([tag, through.text]).toEqual([direct.headers.get('etag'), direct.text]);
    const known = { ...home.owner, headers: { 'if-none-match': tag } };
    const again = await both('GET', path, known);
    expect([again.through.status, again.direct.status, again.through.text]).toEqual([304, 304, '']);
    const change = { ...home.owner, headers: { 'if-match': tag }, body: { $set: { title: 'Emma II' } } };
    expect((await gateway.request('PATCH', path, change)).status).toBe(200);
    const late = await both('PATCH', path, change);
    expect([outcome(late.through), outcome(late.direct)]).toEqual(Array(2).fill([412, 'PreconditionFailed']));
  });

  it('an Idempotency-Key counts for retries on both ways', async () => {
    const request = {
      ...home.owner,
      headers: { 'idempotency-key': randomUUID() },
      body: { records: [{ title: 'once' }] },
    };
    const first = await gateway.request('POST', books.data, request);
    const replay = await runtime.request('POST', books.data, request);
    const through = await gateway.request('POST', books.data, request);
    expect([first.status, replay.text, through.text]).toEqual([200, first.text, first.text]);
    expect([replay, through].map(({ headers }) => headers.get('idempotency-replayed'))).toEqual([
      'true',
      'true',
    ]);
  });

  it('an import and an export of a file', async () => {
    const library = await newLibrary(gateway, home);
    const file = `title,code,isbn\r\n${numbered(0, 3_000)}`;
    const { status, last } = await importFile(gateway, library, file);
    expect([status, last]).toMatchObject([200, { ok: true, inserted: 3_000 }]);
    const through = await exported(gateway, library);
    expect(through).toHaveLength(3_000);
    expect(await exported(runtime, library)).toEqual(through);
    const more = through.map(({ code }) => JSON.stringify({ code: code + 10_000 })).join('\n');
    const again = await importFile(gateway, library, more, { type: NDJSON });
    expect(again.last).toMatchObject({ ok: true, inserted: 3_000 });
  });

  it('an import is read while it is sent, and rolled back when the connection ends early', async () => {
    const library = await newLibrary(gateway, home);
    const refused = upload(library, { ...gateway, url: gateway.url }, { mode: 'none-such' });
    await refused.send('title\r\n');
    // The answer arrives before the end of the file.
    expect((await refused.answer).statusCode).toBe(400);
    refused.cut();
    const broken = upload(library, gateway);
    await broken.send(`title,code,isbn\r\n${numbered(0, 5_000)}`);
    await pause(50);
    broken.cut();
    const small = await importFile(gateway, library, 'title,code,isbn\r\na,1,b\r\n');
    expect(small.last).toMatchObject({ ok: true, inserted: 1 });
    expect(await exported(gateway, library)).toHaveLength(1);
  });

  it('is recorded in the audit log with the same actor, and with the address and correlation id of the client', async () => {
    const headers = { 'x-correlation-id': `both-${newSlug()}` };
    const body = { records: [{ title: 'logged' }] };
    await both('POST', books.data, { ...home.owner, headers, body });
    const [table] = books.table.split('.');
    const rows = await gateway.sql(
      `SELECT type, actor, ip, correlation_id FROM ${table}.audit_events WHERE correlation_id = $1`,
      [headers['x-correlation-id']],
    );
    expect(rows).toHaveLength(2);
    expect(rows[0]).toEqual(rows[1]);
    expect(rows[0].actor).toMatchObject({ type: 'user', id: home.org.owner.userId });
  });
});

describe('every kind of caller has the same identity with and without the gateway', () => {
  const callers: Record<string, () => Promise<TestRequest>> = {
    'a person': async () => home.owner,
    'a browser': async () => ({ headers: { ...cookie(home.owner.token as string), origin: gateway.url } }),
    'an access token': async () => {
      const expiresAt = new Date(Date.now() + 3_600_000).toISOString();
      const body = { name: 'Script', expiresAt };
      const made = await gateway.request('POST', '/v2/user/accessTokens', { ...home.owner, body });
      return { token: made.body.token };
    },
    'an organization’s key': async () => ({ key: (await newKey(gateway, home.org)).apiKey }),
    'a person’s key': async () => {
      const owner = { ownerType: 'user', ownerId: home.org.owner.userId };
      return { key: (await newKey(gateway, home.org, { permissions: ['collections:*'], ...owner })).apiKey };
    },
    'a collection’s key': async () => {
      const body = { slug: newSlug(), name: 'Key', permissions: ['collections:read', 'collections:write'] };
      const made = await gateway.request('POST', `${books.path}/api-keys`, { ...home.owner, body });
      return { key: made.body.secret };
    },
    'a service account': async () => {
      const slug = newSlug();
      const body = { slug, name: 'Robot', permissions: ['collections:*'] };
      const made = await gateway.request('POST', `${home.org.path}/service-accounts`, {
        ...home.owner,
        body,
      });
      const { clientSecret } = made.body;
      const path = `${home.org.path}/service-accounts/${slug}/token`;
      return { token: (await gateway.request('POST', path, { body: { clientSecret } })).body.accessToken };
    },
    'a person who acts for an agent': async () => {
      const body = { slug: newSlug(), name: 'Agent' };
      const made = await gateway.request('POST', `${home.org.path}/agents`, { ...home.owner, body });
      await share(made.body.id);
      return { ...home.owner, headers: { 'x-platform-agent-id': made.body.id } };
    },
    'an agent': async () => {
      const body = { slug: newSlug(), name: 'Agent' };
      const made = await gateway.request('POST', `${home.org.path}/agents`, { ...home.owner, body });
      await share(made.body.id);
      const owner = { ownerType: 'agent', ownerId: made.body.id };
      return { key: (await newKey(gateway, home.org, { permissions: ['collections:*'], ...owner })).apiKey };
    },
  };
  const agents: string[] = [];
  const share = async (id: string) => {
    agents.push(id);
    const body = { agent_ids: agents };
    expect((await gateway.request('PATCH', books.path, { ...home.owner, body })).status).toBe(200);
  };

  it.each(Object.keys(callers))('%s', async kind => {
    const caller = await callers[kind]!();
    const body = { records: [{ title: kind }] };
    const { through, direct } = await both('POST', books.data, { ...caller, body });
    expect([through.status, direct.status], `${through.text} ${direct.text}`).toEqual([200, 200]);
    const [one, other] = (await eventsOf(gateway, books)).slice(-2);
    expect(one!.actor).toEqual(other!.actor);
    const [first, second] = await Promise.all(
      [through, direct].map(({ body: { ids } }) => read(gateway, books, ids[0])),
    );
    expect(first.title).toBe(second.title);
    const lists = await both('GET', '/v1/collections', caller);
    expect([lists.through.status, lists.through.text]).toEqual([lists.direct.status, lists.direct.text]);
  });

  it('a key with an IP allow-list', async () => {
    const key = (addresses: string[]) => newKey(gateway, home.org, { ipAllowList: addresses });
    const here = await key(['127.0.0.1/32']);
    const elsewhere = await key(['192.0.2.1/32']);
    expect((await gateway.request('GET', '/v1/collections', { key: here.apiKey })).status).toBe(200);
    expect((await gateway.request('GET', '/v1/collections', { key: elsewhere.apiKey })).status).toBe(401);
  });

  it('a withdrawn right is also withdrawn behind the gateway', async () => {
    const member = await newMember(gateway, home.org);
    const caller: Caller = { token: member.token };
    expect((await gateway.request('GET', '/v1/collections', caller)).status).toBe(200);
    const gone = await gateway.request('DELETE', `${home.org.path}/members/${member.userId}`, home.owner);
    expect(gone.status).toBe(200);
    const { through, direct } = await both('GET', '/v1/collections', caller);
    expect(outcome(through)).toEqual(outcome(direct));
    expect(through.status).toBe(403);
  });
});

it('a service cannot have a prefix with a route of the platform', async () => {
  const paths = routesOf((await startApp()).nest).map(({ path }) => path);
  // Without a prefix, the upstream gets the root path.
  expect(paths.filter(path => path !== '/' && !isOwnPath(path))).toEqual([]);
});
