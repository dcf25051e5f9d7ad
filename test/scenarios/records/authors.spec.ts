import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  type Home,
  insert,
  newCollection,
  newHome,
  type TestCollection,
} from '../../harness/collection.js';
import { query, succeed } from '../../harness/collection-requests.js';
import { ask, now, pulled } from '../changes/feed.js';
import { newestEvent, undone } from '../history/undo.js';
import { newKey, newMember } from '../orgs/org.js';
import { newAccount, tokenOf } from '../service-accounts/account.js';
import { newAgent } from '../sharing/sharing.js';
import { importFile } from '../transfer/transfer.js';

let app: TestApp;
let home: Home;
let things: TestCollection;
/** The owner of the collection, and an agent that may write it. */
let ownerId: string;
let agent: { id: string; key: string };
const as = (caller: Caller, collection = things): TestCollection => ({ ...collection, owner: caller });

/** The authors of a record: who inserted it, and who wrote it last. */
async function authors(id: string, collection = things): Promise<[created: unknown, updated: unknown]> {
  const { record } = await succeed(app, collection, 'GET', `/data/${id}?with_authors=true`);
  return [record._created_by, record._updated_by];
}

async function idOf(key: string): Promise<string> {
  const { records } = await succeed(app, things, 'POST', '/data/query', { filter: { key } });
  return records[0]._id;
}

beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
  ownerId = home.org.owner.userId;
  agent = await newAgent(app, home.org);
  things = await newCollection(app, home, {
    agent_ids: [agent.id],
    properties: { key: { type: 'text' }, n: { type: 'integer' } },
    uniques: [{ properties: ['key'] }],
  });
});

describe('_created_by and _updated_by', () => {
  it('are the user, agent, service account or ownerless key that writes; a key of a user acts as that user', async () => {
    const account = await newAccount(app, home.org);
    const ownerless = await newKey(app, home.org, { permissions: ['*'] });
    const owned = await newKey(app, home.org, { ownerType: 'user', ownerId, permissions: ['collections:*'] });
    const open = await newCollection(app, home, { agent_ids: [agent.id] });
    const bind = { principal_type: 'org', principal_id: home.org.slug, role: 'editor' };
    await succeed(app, open, 'POST', '/access', bind);
    const member = await newMember(app, home.org);
    const callers: [Caller, string][] = [
      [home.owner, ownerId],
      [{ token: member.token }, member.userId],
      [{ key: agent.key }, agent.id],
      [{ token: await tokenOf(app, account) }, account.id],
      [{ key: ownerless.apiKey }, ownerless.id],
      [{ key: owned.apiKey }, ownerId],
    ];
    const [first] = (await insert(app, open, { n: 0 })) as [string];
    for (const [caller, id] of callers) {
      const [made] = (await insert(app, as(caller, open), { n: 1 })) as [string];
      expect(await authors(made, open)).toEqual([id, id]);
      await succeed(app, as(caller, open), 'PATCH', `/data/${first}`, { $inc: { n: 1 } });
      expect(await authors(first, open)).toEqual([ownerId, id]);
    }
  });

  it('are in an answer only when asked for, by with_authors or by name', async () => {
    const [id] = (await insert(app, things, { key: 'asked', n: 1, deep: { a: 1, b: 2 } })) as [string];
    const both = { _created_by: ownerId, _updated_by: ownerId };
    const plain = (await succeed(app, things, 'GET', `/data/${id}`)).record;
    expect(Object.keys(plain)).toEqual(['_id', 'created_at', 'updated_at', 'key', 'n', 'deep']);
    expect((await succeed(app, things, 'GET', `/data/${id}?with_authors=true`)).record).toEqual({
      ...plain,
      ...both,
    });
    const answers = async (parts: Record<string, unknown>) => {
      const search = { filter: { _id: id }, ...parts };
      const { records } = await succeed(app, things, 'POST', '/data/query', search);
      const again = await succeed(app, things, 'GET', `/data?${query(search)}`);
      expect(again.records).toEqual(records);
      return records[0];
    };
    expect(await answers({})).toEqual(plain);
    expect(await answers({ with_authors: true })).toEqual({ ...plain, ...both });
    expect(await answers({ fields: { _created_by: 1, n: 1 } })).toEqual({
      _id: id,
      n: 1,
      _created_by: ownerId,
    });
    expect(await answers({ fields: { n: 1, _id: 0 }, with_authors: true })).toEqual({ n: 1, ...both });
    expect(await answers({ fields: { 'deep.a': 1 }, with_authors: true })).toEqual({
      _id: id,
      deep: { a: 1 },
      ...both,
    });
    const hidden = {
      fields: { _updated_by: 0, deep: 0, key: 0 },
      with_authors: true,
      with_etags: true,
      preview: 20,
    };
    const { created_at, updated_at } = plain;
    const etag = (await app.request('GET', `${things.data}/${id}`, home.owner)).headers.get('etag');
    expect(await answers(hidden)).toEqual({
      _id: id,
      created_at,
      updated_at,
      n: 1,
      _created_by: ownerId,
      _etag: etag,
    });
    expect(await answers({ fields: { _created_by: 0 } })).toEqual(plain);
  });

  it('are ignored when a client sends them', async () => {
    const forged = { _created_by: agent.id, _updated_by: agent.id };
    const [id] = (await insert(app, things, { key: 'forged', ...forged })) as [string];
    await succeed(app, things, 'PATCH', `/data/${id}`, { $set: { n: 2, ...forged } });
    await succeed(app, things, 'PATCH', '/data', { filter: { _id: id }, update: { $set: forged } });
    expect(await authors(id)).toEqual([ownerId, ownerId]);
    const { record } = await succeed(app, things, 'GET', `/data/${id}`);
    expect(record).not.toHaveProperty('_created_by');
  });

  it('are set by every way of writing, and _created_by stays', async () => {
    const [owner, other] = [things, as({ key: agent.key })];
    const both = [ownerId, agent.id];
    const records = ['a', 'b', 'c', 'd', 'e', 'f'].map(key => ({ key, n: 1 }));
    await succeed(app, owner, 'POST', '/data/bulk', { records });
    expect(await authors(await idOf('a'))).toEqual([ownerId, ownerId]);
    const [a, b, c, d, e, f] = await Promise.all(records.map(({ key }) => idOf(key)));
    await succeed(app, other, 'PATCH', `/data/${a}`, { $set: { n: 2 } });
    await succeed(app, other, 'PATCH', '/data', { filter: { key: 'b' }, update: { $inc: { n: 1 } } });
    await succeed(app, other, 'PATCH', `/data/${c}`, { $push: { tags: 1 } });
    const upsert = { data: { $set: { key: 'd', n: 4 } }, match_fields: ['key'] };
    await succeed(app, other, 'POST', '/data/upsert', upsert);
    const upserts = { records: [{ key: 'e', n: 5 }, { key: 'new in bulk' }], upsert_key: 'key' };
    await succeed(app, other, 'POST', '/data/bulk', upserts);
    const operations = [
      { update: { _id: f, update: { $set: { n: 6 } } } },
      { insert: { key: 'new in batch' } },
    ];
    await succeed(app, other, 'POST', '/data/batch', { operations });
    for (const id of [a, b, c, d, e, f]) expect(await authors(id as string)).toEqual(both);
    for (const key of ['new in bulk', 'new in batch'])
      expect(await authors(await idOf(key))).toEqual([agent.id, agent.id]);
    const upserted = { data: { $set: { key: 'new by upsert' } }, match_fields: ['key'] };
    await succeed(app, other, 'POST', '/data/upsert', upserted);
    expect(await authors(await idOf('new by upsert'))).toEqual([agent.id, agent.id]);
    // An update that changes nothing does not write.
    await succeed(app, owner, 'PATCH', `/data/${a}`, { $set: { n: 2 } });
    expect(await authors(a as string)).toEqual(both);
  });

  it('are set by imports, with and without a key', async () => {
    await insert(app, things, { key: 'imported before', n: 1 });
    const caller = { key: agent.key };
    await importFile(app, things, 'key,n\nimported,1\n', { caller });
    await importFile(app, things, 'key,n\nimported before,2\nimported by key,2\n', {
      caller,
      query: { mode: 'upsert', upsert_key: 'key' },
    });
    expect(await authors(await idOf('imported'))).toEqual([agent.id, agent.id]);
    expect(await authors(await idOf('imported by key'))).toEqual([agent.id, agent.id]);
    expect(await authors(await idOf('imported before'))).toEqual([ownerId, agent.id]);
  });

  it('are those of each caller when writes of several share a statement', async () => {
    const callers: [Caller, string][] = [
      [home.owner, ownerId],
      [{ key: agent.key }, agent.id],
    ];
    const all = Array.from({ length: 40 }, (_, at) => callers[at % 2] as [Caller, string]);
    const ids = await Promise.all(
      all.map(
        async ([caller], at) => (await insert(app, as(caller), { key: `together ${at}`, n: 0 }))[0] as string,
      ),
    );
    for (const [at, [, id]] of all.entries()) expect(await authors(ids[at] as string)).toEqual([id, id]);
    const others = [...all.slice(1), all[0]] as typeof all;
    await Promise.all(
      others.map(([caller], at) => succeed(app, as(caller), 'PATCH', `/data/${ids[at]}`, { $set: { n: 1 } })),
    );
    for (const [at, [, id]] of others.entries())
      expect(await authors(ids[at] as string)).toEqual([all[at]?.[1], id]);
  });

  it('come back with an undo and a restore: _created_by as it was, _updated_by is the caller', async () => {
    const [id] = (await insert(app, things, { key: 'undone', n: 1 })) as [string];
    const other = as({ key: agent.key });
    const instant = new Date().toISOString();
    await succeed(app, other, 'DELETE', `/data/${id}`);
    await undone(app, other, { event_ids: [await newestEvent(app, things)] });
    expect(await authors(id)).toEqual([ownerId, agent.id]);
    const { userId, token } = await newMember(app, home.org, 'admin');
    const admin = as({ token });
    await succeed(app, other, 'PATCH', `/data/${id}`, { $set: { n: 2 } });
    await undone(app, admin, { event_ids: [await newestEvent(app, things)] });
    expect(await authors(id)).toEqual([ownerId, userId]);
    await succeed(app, things, 'DELETE', `/data/${id}`);
    await succeed(app, admin, 'POST', '/restore', { as_of: instant, filter: { key: 'undone' } });
    expect(await authors(id)).toEqual([ownerId, userId]);
  });

  it('can be filtered, sorted, grouped, listed and exported', async () => {
    const some = await newCollection(app, home, {
      agent_ids: [agent.id],
      properties: { n: { type: 'integer' } },
    });
    await insert(app, some, { n: 1 }, { n: 2 });
    await insert(app, as({ key: agent.key }, some), { n: 3 });
    await app.sql(
      `INSERT INTO ${some.table} (_id, created_at, updated_at, c1) VALUES (gen_random_uuid(), now(), now(), 4)`,
    );
    const numbers = async (search: object) =>
      (await succeed(app, some, 'POST', '/data/query', { sort: { n: 1 }, ...search })).records.map(
        ({ n }: { n: number }) => n,
      );
    expect(await numbers({ filter: { _created_by: ownerId } })).toEqual([1, 2]);
    expect(await numbers({ filter: { _created_by: ownerId.toUpperCase() } })).toEqual([1, 2]);
    expect(await numbers({ filter: { _updated_by: { $ne: ownerId } } })).toEqual([3, 4]);
    expect(await numbers({ filter: { _created_by: { $in: [agent.id, null] } } })).toEqual([3, 4]);
    expect(await numbers({ filter: { _created_by: null } })).toEqual([4]);
    const ordered = await numbers({ sort: { _created_by: 1, n: -1 } });
    expect(ordered[0]).toBe(4);
    expect(ordered.filter((n: number) => n < 3)).toEqual([2, 1]);
    const steps = { group_by: ['_created_by'], steps: [{ type: 'count', output_field: 'count' }] };
    const grouped = await app.request('POST', `${some.data}/aggregate`, { ...home.owner, body: steps });
    expect([grouped.status, grouped.text]).toEqual([200, expect.stringContaining(agent.id)]);
    const { values } = await succeed(app, some, 'GET', `/data/distinct?${query({ field: '_created_by' })}`);
    expect(new Set(values)).toEqual(new Set([ownerId, agent.id, null]));
    const csv = await app.request(
      'GET',
      `${some.path}/export?${query({ format: 'csv', fields: { n: 1, _created_by: 1 } })}`,
      home.owner,
    );
    expect(csv.text).toContain(ownerId);
  });

  it('are those of the time in a read of the past', async () => {
    const [id] = (await insert(app, things, { key: 'past', n: 1 })) as [string];
    const instant = (await succeed(app, things, 'GET', `/data/${id}`)).record.updated_at;
    await new Promise(resolve => setTimeout(resolve, 5));
    await succeed(app, as({ key: agent.key }), 'PATCH', `/data/${id}`, { $set: { n: 2 } });
    const past = { as_of: instant, with_authors: true };
    const { record } = await succeed(app, things, 'GET', `/data/${id}?${query(past)}`);
    expect(record).toMatchObject({ n: 1, _created_by: ownerId, _updated_by: ownerId });
    const search = { ...past, filter: { key: 'past', _updated_by: ownerId } };
    expect((await succeed(app, things, 'POST', '/data/query', search)).records).toEqual([record]);
    expect((await succeed(app, things, 'POST', '/data/query', { filter: search.filter })).count).toBe(0);
  });

  it('filter the changes of a collection, but are not in them', async () => {
    const feed = await newCollection(app, home, { agent_ids: [agent.id] });
    const since = await now(app, feed);
    const [id] = (await insert(app, feed, { n: 1 })) as [string];
    await succeed(app, as({ key: agent.key }, feed), 'PATCH', `/data/${id}`, { $set: { n: 2 } });
    await succeed(app, feed, 'DELETE', `/data/${id}`);
    const all = await pulled(app, feed, since);
    expect(all.map(({ type }) => type)).toEqual(['inserted', 'updated', 'deleted']);
    for (const { record } of all) expect(record).not.toHaveProperty('_created_by');
    const { body } = await ask(app, feed, { since, filter: { _updated_by: agent.id, _created_by: ownerId } });
    expect(body.changes.map(({ type }: { type: string }) => type)).toEqual(['updated', 'deleted']);
  });

  it('belong to a collection unless it declares a column of that name, which is an ordinary one', async () => {
    const own = await newCollection(app, home, { properties: { _created_by: { type: 'text' } } });
    const [id] = (await insert(app, own, { _created_by: 'Ada', _updated_by: 'Bob' })) as [string];
    const { record } = await succeed(app, own, 'GET', `/data/${id}?with_authors=true`);
    expect(record).toMatchObject({ _created_by: 'Ada', _updated_by: ownerId });
    await succeed(app, own, 'PATCH', `/data/${id}`, { $set: { _created_by: 'Eve' } });
    const search = { filter: { _created_by: 'Eve' }, fields: { _created_by: 1, _id: 0 } };
    expect((await succeed(app, own, 'POST', '/data/query', search)).records).toEqual([
      { _created_by: 'Eve' },
    ]);
    expect((await succeed(app, own, 'GET', `/data/${id}`)).record).toMatchObject({ _created_by: 'Eve' });
  });

  it('take the place of flexible fields that records had before', async () => {
    const [id] = (await insert(app, things, { key: 'flexible' })) as [string];
    await app.sql(`UPDATE ${things.table} SET x = '{"_created_by": "Eve", "shelf": 1}' WHERE _id = $1`, [id]);
    const answer = await app.request('GET', `${things.data}/${id}?with_authors=true`, home.owner);
    expect(answer.text).not.toContain('Eve');
    const search = { filter: { key: 'flexible' }, fields: { _created_by: 1, shelf: 1 } };
    expect((await succeed(app, things, 'POST', '/data/query', search)).records).toEqual([
      { _id: id, shelf: 1, _created_by: ownerId },
    ]);
    expect(
      (await succeed(app, things, 'POST', '/data/query', { filter: { _created_by: 'Eve' } })).count,
    ).toBe(0);
  });
});

describe('indexes and unique constraints', () => {
  it('may cover system fields: a filter by author uses the index', async () => {
    const indexes = [
      { properties: ['_created_by', 'n'] },
      { properties: ['_updated_by'] },
      { properties: ['created_at'] },
      { properties: ['updated_at', 'n'] },
    ];
    const notes = await newCollection(app, home, { properties: { n: { type: 'integer' } }, indexes });
    expect((await succeed(app, notes, 'GET', '')).indexes).toEqual(indexes);
    const [{ definitions }] = await app.sql(
      `SELECT string_agg(indexdef, '; ') AS definitions FROM pg_indexes WHERE schemaname || '.' || tablename = $1`,
      [notes.table],
    );
    for (const keys of [
      'created_by NULLS FIRST, c1 NULLS FIRST, _id',
      'updated_by NULLS FIRST, _id',
      'created_at NULLS FIRST, _id',
    ])
      expect(definitions).toContain(keys);
    await app.sql(
      `INSERT INTO ${notes.table} (_id, created_at, updated_at, created_by, c1)
       SELECT gen_random_uuid(), now(), now(), gen_random_uuid(), n FROM generate_series(1, 5000) n`,
    );
    await insert(app, notes, { n: 1 }, { n: 2 });
    await app.sql(`ANALYZE ${notes.table}`);
    const search = { filter: { _created_by: ownerId }, sort: { n: -1 } };
    const explained = await succeed(app, notes, 'POST', '/data/explain', search);
    expect(JSON.stringify(explained)).toContain('_created_by');
    expect(JSON.stringify(explained)).not.toContain('Seq Scan');
    const { records } = await succeed(app, notes, 'POST', '/data/query', search);
    expect(records.map(({ n }: { n: number }) => n)).toEqual([2, 1]);
  });

  it('keep one record for each author, and name the rows that repeat one', async () => {
    const votes = await newCollection(app, home, {
      agent_ids: [agent.id],
      properties: { topic: { type: 'text' } },
      uniques: [{ properties: ['_created_by', 'topic'] }],
      settings: { history_days: 30 },
    });
    const other = as({ key: agent.key }, votes);
    const refused = (answer: { status: number; body: { error: string; details: unknown } }) => [
      answer.status,
      answer.body.error,
      answer.body.details,
    ];
    const [id] = (await insert(app, votes, { topic: 'tea' })) as [string];
    await insert(app, other, { topic: 'tea' });
    const post = (below: string, body: object) =>
      app.request('POST', `${votes.data}${below}`, { ...home.owner, body });
    const one = await post('', { records: { topic: 'tea' } });
    expect(refused(one).slice(0, 2)).toEqual([409, 'AlreadyExists']);
    const properties = ['_created_by', 'topic'];
    const row = { row: 1, column: '_created_by', properties };
    const records = [{ topic: 'milk' }, { topic: 'tea' }];
    expect(refused(await post('', { records }))).toEqual([409, 'AlreadyExists', [row]]);
    expect(refused(await post('/bulk', { records }))).toEqual([422, 'ConstraintViolation', [row]]);
    const operations = records.map(record => ({ insert: record }));
    expect(refused(await post('/batch', { operations }))).toEqual([422, 'ConstraintViolation', [row]]);
    const file = await importFile(app, votes, 'topic\nmilk\ntea\n');
    expect(JSON.stringify(file.body ?? file.last)).toContain('_created_by, topic must be unique');
    const skipped = await importFile(app, votes, 'topic\nmilk\ntea\n', { query: { on_error: 'skip' } });
    expect(skipped.text).toContain('_created_by, topic must be unique');
    expect((await post('/bulk', { records, upsert_key: '_created_by' })).status).toBeGreaterThanOrEqual(400);
    // Two records exchange their values in a batch.
    const [milk] = (
      await succeed(app, votes, 'POST', '/data/query', { filter: { topic: 'milk', _created_by: ownerId } })
    ).records;
    const exchange = [
      { update: { _id: id, update: { $set: { topic: 'milk' } } } },
      { update: { _id: milk._id, update: { $set: { topic: 'tea' } } } },
    ];
    await succeed(app, votes, 'POST', '/data/batch', { operations: exchange });
    await undone(app, votes, { event_ids: [await newestEvent(app, votes)] });
    expect(await authors(id, votes)).toEqual([ownerId, ownerId]);
  });

  it('refuse paths below system fields, other uniques, searches, and columns that take their place', async () => {
    const refusal = async (body: object) => {
      const answer = await app.request('POST', '/v1/collections', {
        ...home.owner,
        body: { name: 'refused', ...body },
      });
      return [answer.status, answer.body.message];
    };
    expect(await refusal({ indexes: [{ properties: ['_created_by.name'] }] })).toEqual([
      400,
      expect.stringContaining('has no fields'),
    ]);
    expect(await refusal({ indexes: [{ properties: ['_id'] }] })).toEqual([
      400,
      expect.stringContaining('needs no index'),
    ]);
    expect(await refusal({ indexes: [{ properties: ['_created_by'], kind: 'search' }] })).toEqual([
      400,
      expect.stringContaining('search index'),
    ]);
    for (const name of ['_updated_by', 'created_at'])
      expect(await refusal({ uniques: [{ properties: [name] }] })).toEqual([
        400,
        expect.stringContaining('is not a column'),
      ]);
    const covered = await newCollection(app, home, { uniques: [{ properties: ['_created_by'] }] });
    const body = { properties: { _created_by: { type: 'text' } } };
    const changed = await app.request('PATCH', `${covered.path}/schema`, { ...home.owner, body });
    expect([changed.status, changed.body.message]).toEqual([
      400,
      expect.stringContaining('covers the system field'),
    ]);
  });
});
