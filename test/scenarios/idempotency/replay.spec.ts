import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import {
  type Home,
  insert,
  newCollection,
  newHome,
  newName,
  type TestCollection,
} from '../../harness/collection.js';
import { schemaOf } from '../../harness/tables.js';
import { newestEvent } from '../history/undo.js';
import { newMember, newSlug } from '../orgs/org.js';
import { newRetryKey, observed, type Sent, sendWith } from './retry.js';

/** A write, the status of its answer, and the number of events of its type that it leaves in the log. */
type Write = (collection: TestCollection, home: Home) => Promise<[Omit<Sent, 'caller'>, number, string]>;

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startOwnApp({ database: 'own', environment: { ALLOW_BULK_DELETE: 'true' } });
  home = await newHome(app);
});
afterAll(() => app.close());

const make = () =>
  newCollection(app, home, {
    properties: { n: { type: 'integer' }, name: { type: 'text' } },
    uniques: [{ properties: ['n'] }],
  });

const eventsOfOrg = async (type: string) => {
  const schema = schemaOf(home.org.id);
  const [row] = await app.sql(`SELECT count(*)::int AS n FROM ${schema}.audit_events WHERE type = $1`, [
    type,
  ]);
  return row.n as number;
};

const WRITES: Record<string, Write> = {
  insertRecords: async ({ data }) => [
    { method: 'POST', path: data, body: { records: [{ n: 1 }, { n: 2 }] } },
    200,
    'collections.records.inserted',
  ],
  'bulkInsertRecords, append': async ({ data }) => [
    { method: 'POST', path: `${data}/bulk`, body: { records: [{ n: 1 }, { n: 2 }] } },
    201,
    'collections.records.inserted',
  ],
  'bulkInsertRecords, upsert': async ({ data }) => [
    { method: 'POST', path: `${data}/bulk`, body: { records: [{ n: 1 }, { n: 2 }], upsert_key: 'n' } },
    201,
    'collections.records.upserted',
  ],
  'upsertRecord of a new record': async ({ data }) => [
    { method: 'POST', path: `${data}/upsert`, body: { data: { n: 1 }, match_fields: ['n'] } },
    200,
    'collections.records.upserted',
  ],
  'upsertRecord of one that exists': async collection => {
    await insert(app, collection, { n: 1, name: 'old' });
    const body = { data: { n: 1, name: 'new' }, match_fields: ['n'] };
    return [{ method: 'POST', path: `${collection.data}/upsert`, body }, 200, 'collections.records.upserted'];
  },
  'updateRecord in one statement': async collection => {
    const [id] = await insert(app, collection, { n: 1 });
    const body = { $inc: { n: 1 } };
    return [{ method: 'PATCH', path: `${collection.data}/${id}`, body }, 200, 'collections.records.updated'];
  },
  'updateRecord under a lock': async collection => {
    const [id] = await insert(app, collection, { list: [] });
    const body = { $push: { list: 1 } };
    return [{ method: 'PATCH', path: `${collection.data}/${id}`, body }, 200, 'collections.records.updated'];
  },
  updateRecords: async collection => {
    await insert(app, collection, { n: 1 }, { n: 10 });
    const body = { filter: { n: { $gt: 0 } }, update: { $mul: { n: 3 } }, max_affected: 2 };
    return [{ method: 'PATCH', path: collection.data, body }, 200, 'collections.records.updated'];
  },
  'updateRecords under a lock': async collection => {
    await insert(app, collection, { list: [] }, { list: [1] });
    const body = { filter: { list: { $exists: true } }, update: { $push: { list: 1 } }, max_affected: 2 };
    return [{ method: 'PATCH', path: collection.data, body }, 200, 'collections.records.updated'];
  },
  deleteRecords: async collection => {
    await insert(app, collection, { n: 1 }, { n: 2 });
    const body = { filter: { n: { $gt: 0 } }, max_affected: 2 };
    return [{ method: 'POST', path: `${collection.data}/delete`, body }, 200, 'collections.records.deleted'];
  },
  undoWrites: async collection => {
    await insert(app, collection, { n: 1 }, { n: 2 });
    const body = { event_ids: [await newestEvent(app, collection)] };
    return [{ method: 'POST', path: `${collection.path}/undo`, body }, 200, 'collections.records.undone'];
  },
  createCollection: async () => [
    { method: 'POST', path: '/v1/collections', body: { name: newName() } },
    200,
    'collections.created',
  ],
  updateCollection: async ({ path }) => [
    { method: 'PATCH', path, body: { description: 'told twice' } },
    200,
    'collections.updated',
  ],
  updateSchema: async ({ path }) => [
    { method: 'PATCH', path: `${path}/schema`, body: { properties: { more: { type: 'text' } } } },
    200,
    'collections.schema.updated',
  ],
  applyIndexes: async ({ path }) => [
    { method: 'POST', path: `${path}/indexes`, body: { indexes: [{ properties: ['name'] }] } },
    200,
    'collections.indexes.applied',
  ],
  'grantAccess of a first role': async ({ path }) => {
    const { userId } = await newMember(app, home.org);
    const body = { principal_type: 'user', principal_id: userId, role: 'reader' };
    return [{ method: 'POST', path: `${path}/access`, body }, 201, 'collections.access.granted'];
  },
  'grantAccess of another role': async ({ path, owner }) => {
    const { userId } = await newMember(app, home.org);
    const body = { principal_type: 'user', principal_id: userId, role: 'reader' };
    await app.request('POST', `${path}/access`, { ...owner, body });
    const again = { ...body, role: 'admin' };
    return [{ method: 'POST', path: `${path}/access`, body: again }, 200, 'collections.access.updated'];
  },
  updateAccessBinding: async ({ path, owner }) => {
    const { userId } = await newMember(app, home.org);
    const body = { principal_type: 'user', principal_id: userId, role: 'reader' };
    await app.request('POST', `${path}/access`, { ...owner, body });
    const one = `${path}/access/user/${userId}`;
    return [{ method: 'PATCH', path: one, body: { role: 'editor' } }, 200, 'collections.access.updated'];
  },
  createApiKey: async ({ path }) => [
    { method: 'POST', path: `${path}/api-keys`, body: { slug: newSlug(), name: 'Dashboard' } },
    201,
    'collections.apikeys.created',
  ],
  rotateApiKey: async ({ path, owner }) => {
    const body = { slug: newSlug(), name: 'Dashboard' };
    const { body: minted } = await app.request('POST', `${path}/api-keys`, { ...owner, body });
    return [
      { method: 'POST', path: `${path}/api-keys/${minted.id}/rotate`, body: {} },
      200,
      'collections.apikeys.rotated',
    ];
  },
};

describe('a write that is sent again with the same key', () => {
  it.each(Object.entries(WRITES))('%s: gets the first answer and is executed once', async (_, write) => {
    const collection = await make();
    const [sent, status, type] = await write(collection, home);
    const request = { ...sent, caller: collection.owner };
    const [key, before] = [newRetryKey(), await eventsOfOrg(type)];
    const first = await sendWith(app, key, request);
    expect(observed(first)).toEqual([status, first.text, null]);
    expect(first.headers.get('content-type')).toBe('application/json; charset=utf-8');
    for (let retry = 0; retry < 2; retry++) {
      const again = await sendWith(app, key, request);
      expect(observed(again)).toEqual([status, first.text, 'true']);
      expect(again.headers.get('content-type')).toBe('application/json; charset=utf-8');
    }
    expect(await eventsOfOrg(type)).toBe(before + 1);
  });

  it.each(Object.entries(WRITES))('%s: is executed again, or refused, with another key', async (_, write) => {
    const collection = await make();
    const [sent] = await write(collection, home);
    const request = { ...sent, caller: collection.owner };
    await sendWith(app, newRetryKey(), request);
    expect((await sendWith(app, newRetryKey(), request)).headers.has('idempotency-replayed')).toBe(false);
  });

  it.each(Object.entries(WRITES))('%s: is refused with another body', async (_, write) => {
    const collection = await make();
    const [sent, , type] = await write(collection, home);
    const request = { ...sent, caller: collection.owner };
    const key = newRetryKey();
    await sendWith(app, key, request);
    const before = await eventsOfOrg(type);
    const other = await sendWith(app, key, { ...request, body: { ...(sent.body as object), more: 1 } });
    expect([other.status, other.body.error]).toEqual([422, 'IdempotencyKeyReused']);
    expect(other.headers.has('idempotency-replayed')).toBe(false);
    expect(await eventsOfOrg(type)).toBe(before);
  });
});
