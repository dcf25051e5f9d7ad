import { randomUUID } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { routesOf } from '../../architecture/routes.js';
import { startApp, startOwnApp, type TestApp, type TestRequest } from '../../harness/app.js';
import {
  type Caller,
  type Home,
  newCollection,
  newHome,
  newName,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { roundTrips } from '../../harness/round-trips.js';
import { person } from '../auth/person.js';
import { enter, newKey, newMember, newSlug } from '../orgs/org.js';
import { grant, newAgent, withOrg, withUser } from '../sharing/sharing.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
});

const named = (name: string, rest = '') => `/v1/collections/${name}${rest}`;
const idAt = async (name: string, caller: Caller, on = app) =>
  (await on.request('GET', named(name), caller)).body?.collection_id;
const member = async () => ({ token: (await newMember(app, home.org)).token });
const count = async ({ data, owner }: TestCollection) =>
  (await app.request('GET', `${data}/count`, owner)).body.count;

describe('the name of a collection in a path', () => {
  it('can replace its id in every operation', async () => {
    const books = await newCollection(app, home);
    const record = randomUUID();
    // The route of the trash finds deleted collections only; its own tests name one.
    const routes = routesOf(app.nest).filter(
      ({ path }) => path.startsWith('/v1/collections/:collection_id') && !path.endsWith('/mcp'),
    );
    expect(routes.length).toBeGreaterThan(40);
    for (const { name: route } of routes) {
      const [method, template] = route.split(' ') as [string, string];
      const at = (reference: string) =>
        template
          .replace(':collection_id', reference)
          .replace(':principal_type', 'user')
          .replace(/:\w+/g, record);
      // Only reads have to succeed. The test compares how far each request comes.
      const request: TestRequest = {
        ...home.owner,
        headers: { 'if-match': '"0-0"' },
        ...(method === 'GET' ? {} : { body: { unknown_property: 1 } }),
      };
      const [byId, byName, byNone] = [
        await app.request(method, at(books.id), request),
        await app.request(method, at(books.name), request),
        await app.request(method, at(newName()), request),
      ];
      expect([route, ...outcome(byName)]).toEqual([route, ...outcome(byId)]);
      expect([route, byName.body?.error]).not.toEqual([route, 'CollectionNotFound']);
      expect([route, ...outcome(byNone)]).toEqual([route, 404, 'CollectionNotFound']);
    }
  });

  it('is answered with the id', async () => {
    const books = await newCollection(app, home, { properties: { n: { type: 'integer' } } });
    const at = (rest: string) => named(books.name, rest);
    const inserted = await app.request('POST', at('/data'), { ...home.owner, body: { records: { n: 1 } } });
    expect(inserted.status).toBe(200);
    const bulk = await app.request('POST', at('/data/bulk'), {
      ...home.owner,
      body: { records: [{ n: 2 }] },
    });
    expect(bulk.body.collection_id).toBe(books.id);
    expect(await idAt(books.name, home.owner)).toBe(books.id);
    expect(await count(books)).toBe(2);
  });

  it('may be percent-encoded, and is case-sensitive', async () => {
    const books = await newCollection(app, home, { name: `Books${newName()}` });
    expect(await idAt(books.name.replace('B', '%42'), home.owner)).toBe(books.id);
    expect(outcome(await app.request('GET', named(books.name.toLowerCase()), home.owner))).toEqual([
      404,
      'CollectionNotFound',
    ]);
  });

  it('may be any valid name, also one that is part of a route', async () => {
    for (const name of ['data', 'mcp', 'query', 'count', 'access', 'v1', 'constructor', '__proto__', '-']) {
      const { id } = await newCollection(app, home, { name });
      expect([name, await idAt(name, home.owner)]).toEqual([name, id]);
      const counted = await app.request('GET', named(name, '/data/count'), home.owner);
      expect([name, counted.body]).toEqual([name, { count: 0 }]);
    }
  });

  it('is treated as an id when it looks like one', async () => {
    const books = await newCollection(app, home);
    const decoy = await newCollection(app, home, { name: randomUUID() });
    const shadow = await newCollection(app, home, { name: books.id });
    expect(await idAt(books.id, home.owner)).toBe(books.id);
    expect(outcome(await app.request('GET', named(decoy.name), home.owner))).toEqual([
      404,
      'CollectionNotFound',
    ]);
    expect(await idAt(shadow.id, home.owner)).toBe(shadow.id);
    const almost = await newCollection(app, home, { name: `x${randomUUID().slice(1)}` });
    expect(await idAt(almost.name, home.owner)).toBe(almost.id);
    expect((await app.request('GET', named(almost.name, '/data/count'), home.owner)).body).toEqual({
      count: 0,
    });
  });

  it('is refused at the MCP endpoint of a collection, because tokens are bound to its id', async () => {
    const books = await newCollection(app, home);
    const body = { jsonrpc: '2.0', id: 1, method: 'tools/list' };
    const answer = await app.request('POST', named(books.name, '/mcp'), { ...home.owner, body });
    expect(outcome(answer)).toEqual([404, 'CollectionNotFound']);
  });
});

describe('access by the name of a collection', () => {
  it('is given to callers with access by id; others get the answer for an unused name', async () => {
    const books = await newCollection(app, home);
    const stranger = await member();
    const outsider = { token: (await newHome(app)).org.owner.token };
    for (const caller of [stranger, outsider]) {
      for (const rest of ['', '/data/count']) {
        const [hidden, absent] = [
          await app.request('GET', named(books.name, rest), caller),
          await app.request('GET', named(newName(), rest), caller),
        ];
        expect(outcome(hidden)).toEqual([404, 'CollectionNotFound']);
        expect(hidden.text).toBe(absent.text);
      }
    }
    expect(
      outcome(await app.request('GET', named(books.name), { token: (await person(app)).token })),
    ).toEqual([403, 'OrganizationMembershipRequired']);
    expect((await app.request('GET', named(books.name))).status).toBe(401);
  });

  it('gives the same rights as access by id', async () => {
    const books = await newCollection(app, home);
    const reader = await newMember(app, home.org);
    await grant(app, books, withUser(reader), 'reader');
    expect((await app.request('GET', named(books.name, '/data/count'), reader)).body).toEqual({ count: 0 });
    const body = { records: { n: 1 } };
    expect(outcome(await app.request('POST', named(books.name, '/data'), { ...reader, body }))).toEqual([
      403,
      'Forbidden',
    ]);
    expect(outcome(await app.request('DELETE', named(books.name), reader))).toEqual([403, 'Forbidden']);
    expect(await count(books)).toBe(0);
  });

  it('is limited to the active organization', async () => {
    const other = await newHome(app);
    const books = await newCollection(app, other);
    const both = await newMember(app, home.org);
    await enter(app, other.org, both, 'owner');
    expect((await app.request('GET', books.path, both)).status).toBe(200);
    expect(outcome(await app.request('GET', named(books.name), both))).toEqual([404, 'CollectionNotFound']);
  });

  it('finds with a collection key only its collection, as by id', async () => {
    const books = await newCollection(app, home);
    const other = await newCollection(app, home);
    const wanted = { name: 'Key', slug: newSlug(), permissions: ['collections:read'] };
    const { body } = await app.request('POST', `${books.path}/api-keys`, { ...home.owner, body: wanted });
    const key = { key: body.secret };
    expect(await idAt(books.name, key)).toBe(books.id);
    expect((await app.request('GET', named(books.name, '/data/count'), key)).body).toEqual({ count: 0 });
    expect(outcome(await app.request('GET', named(other.name), key))).toEqual([404, 'CollectionNotFound']);
  });

  it('finds with a key limited to some collections no other of the same name', async () => {
    const ada = await member();
    const name = newName();
    const hers = await newCollection(app, { org: home.org, owner: ada }, { name });
    const own = await newCollection(app, home, { name });
    const key = { key: (await newKey(app, home.org, { scopes: [`collections:${hers.id}`] })).apiKey };
    expect(await idAt(name, key)).toBe(hers.id);
    expect((await app.request('GET', named(name, '/data/count'), key)).status).toBe(200);
    const all = { key: (await newKey(app, home.org)).apiKey };
    // A key without an owner treats as own the collections of the user who created it.
    expect(await idAt(name, all)).toBe(own.id);
  });

  it('works for an agent too', async () => {
    const agent = await newAgent(app, home.org);
    const books = await newCollection(app, home, { agent_ids: [agent.id] });
    const { apiKey } = await newKey(app, home.org, { ownerType: 'agent', ownerId: agent.id });
    expect(await idAt(books.name, { key: apiKey })).toBe(books.id);
    const own = await newCollection(app, { org: home.org, owner: { key: apiKey } }, { name: books.name });
    expect(await idAt(books.name, { key: apiKey })).toBe(own.id);
    expect(await idAt(books.name, home.owner)).toBe(books.id);
  });
});

describe('a name that several collections have', () => {
  it("means the caller's own collection", async () => {
    const name = newName();
    const ada = await member();
    const hers = await newCollection(app, { org: home.org, owner: ada }, { name });
    const own = await newCollection(app, home, { name });
    await grant(app, own, withOrg(home.org), 'editor');
    expect(await idAt(name, ada)).toBe(hers.id);
    expect(await idAt(name, home.owner)).toBe(own.id);
    await app.request('POST', named(name, '/data'), { ...ada, body: { records: { n: 1 } } });
    expect([await count(hers), await count(own)]).toEqual([1, 0]);
  });

  it("is refused with their ids if none is the caller's own, and nothing is done", async () => {
    const name = newName();
    const owners = [await member(), await member()];
    const both = [];
    for (const owner of owners) both.push(await newCollection(app, { org: home.org, owner }, { name }));
    const ids = both.map(({ id }) => id).sort();
    for (const [method, rest, body] of [
      ['GET', '/data/count', undefined],
      ['POST', '/data', { records: { n: 1 } }],
      ['DELETE', '', undefined],
    ] as const) {
      const answer = await app.request(method, named(name, rest), { ...home.owner, body });
      expect(outcome(answer)).toEqual([409, 'AmbiguousName']);
      expect(answer.body.details.ids.toSorted()).toEqual(ids);
    }
    // For a caller with access to one of them only, the name is unique.
    const guest = await newMember(app, home.org);
    await grant(app, both[0] as TestCollection, withUser(guest), 'reader');
    expect(await idAt(name, guest)).toBe(both[0]?.id);
    const answer = await app.request('GET', named(name), guest);
    expect(answer.text).not.toContain(both[1]?.id);
    expect(await count(both[0] as TestCollection)).toBe(0);
  });

  it('is refused with at most 20 ids', async () => {
    const name = newName();
    for (let n = 0; n < 22; n++) await newCollection(app, { org: home.org, owner: await member() }, { name });
    const { body } = await app.request('GET', named(name), home.owner);
    expect(body.details.ids).toHaveLength(20);
  });
});

describe('a name that an instance has cached', () => {
  let other: TestApp;
  beforeAll(async () => {
    const { DATABASE_URL, PUBLIC_URL } = app.settings;
    // A session is valid on every instance with the same address.
    other = await startOwnApp({ database: { url: DATABASE_URL as string }, environment: { PUBLIC_URL } });
  });
  afterAll(() => other.close());

  const insertAt = (on: TestApp, name: string, caller: Caller, headers = {}) =>
    on.request('POST', named(name, '/data'), { ...caller, headers, body: { records: { n: 1 } } });
  /** Lets the other instance cache the name, then gives the name to a new collection on this one. */
  const replaced = async () => {
    const before = await newCollection(app, home);
    for (let n = 0; n < 2; n++) expect((await insertAt(other, before.name, home.owner)).status).toBe(200);
    const renamed = await app.request('PATCH', before.path, { ...home.owner, body: { name: newName() } });
    expect(renamed.status).toBe(200);
    return { before, after: await newCollection(app, home, { name: before.name }) };
  };

  it('causes no more round trips than the id', async () => {
    const { id, name } = await newCollection(app, home);
    const key = { key: (await newKey(app, home.org)).apiKey };
    const reads = (reference: string) => () => other.request('GET', named(reference, '/data/count'), key);
    for (const reference of [id, name]) await reads(reference)();
    const byId = await roundTrips(other, reads(id));
    expect(await roundTrips(other, reads(name))).toBe(byId);
  });

  it('means the collection that has it now, for every kind of statement', async () => {
    const statements: [string, string, object | undefined, (body: never) => unknown, unknown][] = [
      ['POST', '/data', { records: { n: 2 } }, ({ inserted_count }) => inserted_count, 1],
      ['POST', '/data/bulk', { records: [{ n: 2 }] }, ({ inserted }) => inserted, 1],
      [
        'POST',
        '/data/upsert',
        { data: { n: 1 }, match_fields: ['n'] },
        ({ result: { inserted } }) => inserted,
        true,
      ],
      ['PATCH', '/data', { filter: { n: 1 }, update: { n: 2 } }, ({ matched_count }) => matched_count, 0],
      ['GET', '/data/count', undefined, ({ count: found }) => found, 0],
      ['POST', '/data/query', { cursor: '' }, ({ count: found }) => found, 0],
      ['GET', '/data/distinct?field=n', undefined, ({ values }) => values, []],
    ];
    for (const [method, rest, body, resultOf, expected] of statements) {
      const { before, after } = await replaced();
      const answer = await other.request(method, named(after.name, rest), { ...home.owner, body });
      expect([rest, answer.status < 300, resultOf(answer.body as never)]).toEqual([rest, true, expected]);
      if (rest === '/data/bulk') expect(answer.body.collection_id).toBe(after.id);
      expect([rest, await count(before)]).toEqual([rest, 2]);
    }
  });

  it('means the collection that has it now, for deletion and for metadata', async () => {
    const { before, after } = await replaced();
    expect(await idAt(after.name, home.owner, other)).toBe(after.id);
    expect((await other.request('DELETE', named(after.name), home.owner)).status).toBe(200);
    expect((await app.request('GET', after.path, home.owner)).status).toBe(404);
    expect(await count(before)).toBe(2);
    expect(outcome(await insertAt(other, after.name, home.owner))).toEqual([404, 'CollectionNotFound']);
  });

  it("means the caller's own collection that is created later, where it meant a shared one", async () => {
    const ada = await newMember(app, home.org);
    const shared = await newCollection(app, home);
    await grant(app, shared, withUser(ada), 'editor');
    for (let n = 0; n < 2; n++) expect((await insertAt(other, shared.name, ada)).status).toBe(200);
    const own = await newCollection(app, { org: home.org, owner: ada }, { name: shared.name });
    expect((await insertAt(other, shared.name, ada)).status).toBe(200);
    expect([await count(own), await count(shared)]).toEqual([1, 2]);
    await app.request('DELETE', own.path, ada);
    expect((await insertAt(other, shared.name, ada)).status).toBe(200);
    expect(await count(shared)).toBe(3);
  });

  it('is no longer resolved after another collection of that name is shared', async () => {
    const ada = await newMember(app, home.org);
    const [first, second] = [await newCollection(app, home), await member()];
    await grant(app, first, withUser(ada), 'editor');
    expect((await insertAt(other, first.name, ada)).status).toBe(200);
    const rival = await newCollection(app, { org: home.org, owner: second }, { name: first.name });
    await grant(app, rival, withUser(ada), 'editor');
    expect(outcome(await insertAt(other, first.name, ada))).toEqual([409, 'AmbiguousName']);
    expect([await count(first), await count(rival)]).toEqual([1, 0]);
  });

  it('gives the same request digest as the id for an Idempotency-Key', async () => {
    const books = await newCollection(app, home);
    const headers = { 'idempotency-key': randomUUID() };
    const body = { records: { n: 1 } };
    const byName = await insertAt(other, books.name, home.owner, headers);
    const byId = await app.request('POST', books.data, { ...home.owner, headers, body });
    expect(byId.body).toEqual(byName.body);
    expect(byId.headers.get('idempotency-replayed')).toBe('true');
    const { name } = (await app.request('PATCH', books.path, { ...home.owner, body: { name: newName() } }))
      .body;
    expect((await insertAt(other, name, home.owner, headers)).body).toEqual(byName.body);
    // The name belongs to another collection now, so the key was used for another request.
    await newCollection(app, home, { name: books.name });
    expect(outcome(await insertAt(other, books.name, home.owner, headers))).toEqual([
      422,
      'IdempotencyKeyReused',
    ]);
    expect(await count(books)).toBe(1);
  });

  it('directs every write to the collection that has it at one instant, while it moves back and forth', async () => {
    const name = newName();
    const [first, second] = [await newCollection(app, home, { name }), await newCollection(app, home)];
    let stopped = false;
    const seen: [number, string | undefined][] = [];
    const answered = [0, 0, 0];
    const writer = async (on: TestApp, index: number) => {
      while (!stopped) {
        seen.push(outcome(await insertAt(on, name, home.owner)));
        answered[index]! += 1;
      }
    };
    const writers = [writer(app, 0), writer(other, 1), writer(other, 2)];
    const eachIsAnswered = async (times: number) => {
      const before = [...answered];
      const isDone = () => answered.every((count, index) => count >= before[index]! + times);
      while (!isDone()) await new Promise(resolve => setTimeout(resolve, 5));
    };
    for (let round = 0; round < 10; round++) {
      const [from, to] = round % 2 === 0 ? [first, second] : [second, first];
      const rename = (path: string, to: string) =>
        app.request('PATCH', path, { ...home.owner, body: { name: to } });
      expect((await rename(from.path, newName())).status).toBe(200);
      // A write that was sent before this answer may still be stored there.
      await eachIsAnswered(1);
      const frozen = await count(from);
      expect((await rename(to.path, name)).status).toBe(200);
      await eachIsAnswered(4);
      // No write that is sent later reaches a collection that no longer has the name.
      expect(await count(from)).toBe(frozen);
    }
    stopped = true;
    await Promise.all(writers);
    expect(new Set(seen.map(([status]) => status))).toEqual(new Set([200, 404]));
    const written = (await count(first)) + (await count(second));
    expect(written).toBe(seen.filter(([status]) => status === 200).length);
  });
});
