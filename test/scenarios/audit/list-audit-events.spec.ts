import { beforeAll, describe, expect, it } from 'vitest';
import { newId } from '../../../src/base/kernel/id.js';
import { render } from '../../../src/base/sql/index.js';
import { auditTable } from '../../../src/platform/audit/audit-log.js';
import { collectionTrail, orgTrail } from '../../../src/platform/audit/audit-trail.service.js';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { newKey, newMember, newSlug } from '../orgs/org.js';

const INSTANT = /^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/;

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
});

const list = ({ path, owner }: TestCollection, query: object = {}, caller: Caller = owner) =>
  app.request('GET', `${path}/audit?${new URLSearchParams({ ...query })}`, caller);
const types = async (collection: TestCollection, query?: object) =>
  (await list(collection, query)).body.items.map((item: { type: string }) => item.type);

/** A collection with a known history: its creation, two inserts, an update. */
async function withHistory() {
  const collection = await newCollection(app, home);
  const ids = [
    ...(await insert(app, collection, { a: 1 }, { a: 2 })),
    ...(await insert(app, collection, { a: 3 })),
  ];
  await app.request('PATCH', collection.path, { ...collection.owner, body: { description: 'new' } });
  return { collection, ids };
}

const HISTORY = [
  'collections.updated',
  'collections.records.inserted',
  'collections.records.inserted',
  'collections.created',
];

describe('GET /v1/collections/{collection_id}/audit', () => {
  it('lists every write of the collection, newest first, and no event of another', async () => {
    const { collection } = await withHistory();
    await withHistory();
    const { status, body } = await list(collection);
    expect(status).toBe(200);
    expect(Object.keys(body).sort()).toEqual(['items', 'next_cursor']);
    expect(body.items.map((item: { type: string }) => item.type)).toEqual(HISTORY);
    expect(body.next_cursor).toBeNull();
  });

  it('shows an event of records with every field, and nothing else', async () => {
    const { collection, ids } = await withHistory();
    const event = (await list(collection)).body.items[2];
    expect(event).toEqual({
      id: expect.stringMatching(/^[0-9a-f-]{36}$/),
      type: 'collections.records.inserted',
      createdAt: expect.stringMatching(INSTANT),
      orgSlug: home.org.slug,
      actor: { type: 'user', id: home.org.owner.userId, via: 'rest' },
      target: { type: 'collection', id: collection.id, name: collection.name },
      count: 2,
      record_ids: ids.slice(0, 2),
      changes: null,
      correlationId: expect.any(String),
      ip: '127.0.0.1',
    });
  });

  it('shows changes of metadata with the values before and after', async () => {
    const { collection } = await withHistory();
    const { items } = (await list(collection)).body;
    expect(items[0]).toMatchObject({
      count: null,
      record_ids: null,
      changes: { before: { description: null }, after: { description: 'new' } },
    });
    expect(items[3].changes).toMatchObject({ before: null, after: { name: collection.name } });
  });

  it('names the request of the write, so that logs can be searched for it', async () => {
    const collection = await newCollection(app, home);
    const headers = { 'x-correlation-id': 'order-17' };
    await app.request('PATCH', collection.path, { ...collection.owner, body: { description: 'x' }, headers });
    expect((await list(collection)).body.items[0].correlationId).toBe('order-17');
  });

  it("includes events of the collection's keys, also revoked ones, and of no other's", async () => {
    const { collection } = await withHistory();
    const { collection: neighbour } = await withHistory();
    for (const { path, owner } of [collection, neighbour]) {
      const body = { name: 'Key', slug: newSlug() };
      const key = (await app.request('POST', `${path}/api-keys`, { ...owner, body })).body;
      await app.request('POST', `${path}/api-keys/${key.id}/rotate`, { ...owner, body: {} });
      await app.request('DELETE', `${path}/api-keys/${key.id}`, owner);
    }
    await newKey(app, home.org);
    const { items } = (await list(collection)).body;
    expect(items.map((item: { type: string }) => item.type)).toEqual([
      'collections.apikeys.revoked',
      'collections.apikeys.rotated',
      'collections.apikeys.created',
      ...HISTORY,
    ]);
    expect(items[0].target.type).toBe('apikey');
    expect(JSON.stringify(items)).not.toContain('iak_');
    expect(await types(collection, { limit: 2 })).toEqual([
      'collections.apikeys.revoked',
      'collections.apikeys.rotated',
    ]);
    expect(await types(collection, { action: 'collections.apikeys.rotated' })).toEqual([
      'collections.apikeys.rotated',
    ]);
  });

  it('does not write an event itself', async () => {
    const { collection } = await withHistory();
    await list(collection);
    expect(await types(collection)).toEqual(HISTORY);
  });
});

describe('the filters of the audit list', () => {
  it('select one type of event', async () => {
    const { collection } = await withHistory();
    expect(await types(collection, { action: 'collections.records.inserted' })).toEqual(HISTORY.slice(1, 3));
    expect(await types(collection, { action: 'collections.records' })).toEqual([]);
  });

  it('select events between two instants, both included', async () => {
    const { collection } = await withHistory();
    const table = render(auditTable(home.org.id)).text;
    const rows = await app.sql(`SELECT id FROM ${table} WHERE target->>'id' = $1 ORDER BY id`, [
      collection.id,
    ]);
    for (const [minute, { id }] of rows.entries()) {
      const instant = new Date(Date.now() - 600_000 + minute * 60_000);
      await app.sql(`UPDATE ${table} SET created_at = $2::timestamptz + interval '0.7 ms' WHERE id = $1`, [
        id,
        instant,
      ]);
    }
    const [updated, second, first, created] = (await list(collection)).body.items.map(
      (item: { createdAt: string }) => item.createdAt,
    );
    expect(await types(collection, { since: second })).toEqual(HISTORY.slice(0, 2));
    expect(await types(collection, { until: first })).toEqual(HISTORY.slice(2));
    expect(await types(collection, { since: first, until: second })).toEqual(HISTORY.slice(1, 3));
    expect(await types(collection, { since: created, until: updated })).toEqual(HISTORY);
    const offset = new Date(Date.parse(second) + 3_600_000).toISOString().replace('Z', '+01:00');
    expect(await types(collection, { since: offset })).toEqual(HISTORY.slice(0, 2));
    expect(await types(collection, { since: updated, until: created })).toEqual([]);
    expect(await types(collection, { until: '2001-01-01T00:00:00Z' })).toEqual([]);
    expect(await types(collection, { since: '0001-01-01T00:00:00Z', until: '9999-12-31T23:59:59Z' })).toEqual(
      HISTORY,
    );
  });

  it('select the events of one record, whoever else was written with it', async () => {
    const { collection, ids } = await withHistory();
    const [first, second] = ids as [string, string];
    const { path, owner } = collection;
    await app.request('PATCH', `${path}/data/${first}`, { ...owner, body: { a: 9 } });
    const operations = [{ update: { _id: first, update: { a: 10 } } }, { delete: { _id: second } }];
    await app.request('POST', `${path}/data/batch`, { ...owner, body: { operations } });
    const ofFirst = [
      'collections.records.written',
      'collections.records.updated',
      'collections.records.inserted',
    ];
    expect(await types(collection, { record_id: first })).toEqual(ofFirst);
    expect(await types(collection, { record_id: first.toUpperCase() })).toEqual(ofFirst);
    expect(await types(collection, { record_id: second })).toEqual([ofFirst[0], ofFirst[2]]);
    expect(await types(collection, { record_id: newId() })).toEqual([]);
    const { body } = await list(collection, { record_id: first, limit: 2 });
    expect(body.items.length).toBe(2);
    expect(await types(collection, { record_id: first, limit: 2, cursor: body.next_cursor })).toEqual([
      ofFirst[2],
    ]);
    expect(await types((await withHistory()).collection, { record_id: first })).toEqual([]);
  });

  it('select the events of one actor and of one request', async () => {
    const { collection } = await withHistory();
    const admin = await newMember(app, home.org, 'admin');
    const change = { token: admin.token, headers: { 'x-correlation-id': `change-${newSlug()}` } };
    await app.request('PATCH', collection.path, { ...change, body: { description: 'by the admin' } });
    const body = { name: 'Key', slug: newSlug() };
    await app.request('POST', `${collection.path}/api-keys`, { ...change, body });
    const changes = ['collections.apikeys.created', 'collections.updated'];
    expect(await types(collection, { actor_id: admin.userId })).toEqual(changes);
    expect(await types(collection, { actor_id: home.org.owner.userId })).toEqual(HISTORY);
    expect(await types(collection, { correlation_id: change.headers['x-correlation-id'] })).toEqual(changes);
    expect(await types(collection, { correlation_id: 'another' })).toEqual([]);
  });

  it.each([
    { limit: 0 },
    { record_id: 'x' },
    { actor_id: '' },
    { correlation_id: '' },
    { limit: 101 },
    { limit: 'all' },
    { since: 'yesterday' },
    { until: '2026-01-01' },
    { until: '2026-13-01T00:00:00Z' },
    { action: '' },
    { cursor: 'made-up' },
    { page: 2 },
  ])('refuse %j', async query => {
    const { collection } = await withHistory();
    const answer = await list(collection, query);
    expect(outcome(answer)).toEqual([400, 'InvalidArguments']);
    expect(answer.body.message).toContain(Object.keys(query)[0]);
  });
});

describe('the cursor of the audit list', () => {
  it('returns each event exactly once while new ones are written', async () => {
    const { collection } = await withHistory();
    const before = (await list(collection)).body.items;
    const seen: unknown[] = [];
    let cursor = '';
    for (let page = 0; page < 4; page++) {
      const { body } = await list(collection, { limit: 1, cursor });
      expect(body.items.length).toBe(1);
      seen.push(...body.items);
      cursor = body.next_cursor;
      await insert(app, collection, { a: 1 });
    }
    expect(cursor).toBeNull();
    expect(seen).toEqual(before);
  });

  it('is refused if it was changed, or is used for another collection or with other filters', async () => {
    const [{ collection }, { collection: other }] = [await withHistory(), await withHistory()];
    const action = 'collections.records.inserted';
    const { next_cursor: cursor } = (await list(collection, { limit: 1, action })).body;
    expect((await list(collection, { limit: 1, action, cursor })).body.items.length).toBe(1);
    const flipped = Buffer.from(cursor, 'base64url');
    flipped[3] = (flipped[3] as number) ^ 1;
    const refusals = [
      await list(collection, { action, cursor: flipped.toString('base64url') }),
      await list(collection, { action, cursor: cursor.slice(0, -4) }),
      await list(collection, { cursor }),
      await list(collection, { action, since: '2020-01-01T00:00:00Z', cursor }),
      await list(other, { action, cursor }),
    ];
    expect(refusals.map(outcome)).toEqual(Array(5).fill([400, 'InvalidArguments']));
  });
});

describe('the permission to read the audit list', () => {
  it('belongs to admins and owners with the permission, and not to writers', async () => {
    const { collection } = await withHistory();
    const key = async (...permissions: string[]) => ({
      key: (await newKey(app, home.org, { permissions })).apiKey,
    });
    expect((await list(collection, {}, await key('collections:manage'))).status).toBe(200);
    const writer = await key('collections:read', 'collections:write', 'collections:share');
    expect(outcome(await list(collection, { limit: 0 }, writer))).toEqual([403, 'Forbidden']);
    const admin = { token: (await newMember(app, home.org, 'admin')).token };
    expect((await list(collection, {}, admin)).status).toBe(200);
  });

  it('is refused to strangers with the same 404 as for unknown ids', async () => {
    const { collection } = await withHistory();
    const member = { token: (await newMember(app, home.org)).token };
    const stranger = (await newHome(app)).owner;
    const unknown = { ...collection, path: '/v1/collections/00000000-0000-7000-8000-000000000000' };
    const answers = [
      await list(collection, { limit: 0 }, member),
      await list(collection, {}, stranger),
      await list(unknown),
      await list({ ...collection, path: '/v1/collections/x' }),
    ];
    expect(answers.map(outcome)).toEqual(Array(4).fill([404, 'CollectionNotFound']));
    expect(new Set(answers.map(answer => answer.text)).size).toBe(1);
  });
});

describe('the statement behind the audit list', () => {
  it('uses indexes, however many events the organization has', async () => {
    const { collection } = await withHistory();
    const table = render(auditTable(home.org.id)).text;
    await app.sql(
      `INSERT INTO ${table} (id, type, actor, target)
       SELECT gen_random_uuid(), 'collections.records.inserted', '{}', jsonb_build_object('id', $1::text)
       FROM generate_series(1, 20000)`,
      [newId()],
    );
    await app.sql(`ANALYZE ${table}`);
    const since = new Date(Date.now() - 86_400_000);
    for (const conditions of [
      {},
      { before: newId() },
      { since, until: new Date() },
      { type: 'collections.created' },
    ]) {
      const trail = collectionTrail(home.org.id, collection.id, conditions, 21);
      const { text, values } = render(trail);
      const plan = (await app.sql(`EXPLAIN ${text}`, values)).map(row => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/Index Scan Backward using audit_events_target|Index Scan on audit_events_target/);
      expect(plan).not.toContain('Seq Scan');
      expect(plan).not.toContain('audit_events_pkey');
    }
  });

  it('finds a record and a request by indexes, however many events the collection has', async () => {
    const { collection, ids } = await withHistory();
    const table = render(auditTable(home.org.id)).text;
    await app.sql(
      `INSERT INTO ${table} (id, type, actor, target, record_ids, correlation_id)
       SELECT gen_random_uuid(), 'collections.records.updated', '{"id": "busy"}', jsonb_build_object('id', $1::text),
         ARRAY[gen_random_uuid()], '0' || n FROM generate_series(1000000, 1050000) n`,
      [collection.id],
    );
    await app.sql(`VACUUM ANALYZE ${table}`);
    const planOf = async (conditions: object) => {
      const { text, values } = render(collectionTrail(home.org.id, collection.id, conditions, 21));
      return (await app.sql(`EXPLAIN ${text}`, values)).map(row => row['QUERY PLAN']).join('\n');
    };
    expect(await planOf({ record: ids[0] })).toMatch(
      /on audit_events_records[\s\S]*(on|using) audit_events_target/,
    );
    expect(await planOf({ correlation: '01017017' })).toContain('on audit_events_requests');
  });

  it('finds the events of an actor who has done little by an index, however much others have done', async () => {
    const { collection } = await withHistory();
    const table = render(auditTable(home.org.id)).text;
    await app.sql(
      `INSERT INTO ${table} (id, type, actor, target)
       SELECT gen_random_uuid(), 'collections.records.updated', '{"id": "busy"}', jsonb_build_object('id', $1::text)
       FROM generate_series(1, 20000)`,
      [collection.id],
    );
    await app.sql(`ANALYZE ${table}`);
    for (const trail of [
      orgTrail(home.org.id, { actor: newId() }, 21),
      collectionTrail(home.org.id, collection.id, { actor: newId() }, 21),
    ]) {
      const { text, values } = render(trail);
      const plan = (await app.sql(`EXPLAIN ${text}`, values)).map(row => row['QUERY PLAN']).join('\n');
      expect(plan).toMatch(/(using|on) audit_events_actor/);
      expect(plan).not.toMatch(/Seq Scan|audit_events_pkey/);
    }
  });

  it('reads the hours around the id of a record only if its insert is not near to it', async () => {
    const { collection, ids } = await withHistory();
    const hours = async (record: string | undefined) => {
      const trail = collectionTrail(home.org.id, collection.id, { record, until: new Date(0) }, 21);
      const { text, values } = render(trail);
      const rows = await app.sql(`EXPLAIN (ANALYZE, COSTS off, TIMING off) ${text}`, values);
      const plan = rows.map(row => row['QUERY PLAN']).join('\n');
      // PostgreSQL 17 and later name the plan in place of its parameter.
      const skips = /One-Time Filter: \(NOT (\$\d+|\(InitPlan \d+\)\.col1)\)\n.*never executed/;
      return skips.test(plan) ? 'not read' : 'read';
    };
    // Also when the other conditions leave the insert out.
    expect(await hours(ids[0])).toBe('not read');
    expect(await hours(newId())).toBe('read');
  });
});
