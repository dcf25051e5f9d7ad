import { gzipSync } from 'node:zlib';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { Schedule } from '../../../src/app/jobs/schedule.js';
import { jsonDigest } from '../../../src/platform/idempotency/request-digest.js';
import { routesOf } from '../../architecture/routes.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import {
  type Caller,
  eventsOf,
  expire,
  type Home,
  insert,
  newCollection,
  newHome,
  newName,
  outcome,
  read,
  type TestCollection,
  written,
} from '../../harness/collection.js';
import { schemaOf } from '../../harness/tables.js';
import { newKey, newMember, newSlug } from '../orgs/org.js';
import { newRetryKey, observed, type Sent, sendWith, storedResponses } from './retry.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startOwnApp({ database: 'own' });
  home = await newHome(app);
});
afterAll(() => app.close());

const N = { properties: { n: { type: 'integer' } } };
const UNIQUE_N = { ...N, uniques: [{ properties: ['n'] }] };
const schema = () => schemaOf(home.org.id);
const inserting = ({ data, owner }: TestCollection, records: object, caller: Caller = owner): Sent => ({
  method: 'POST',
  path: data,
  body: { records },
  caller,
});

describe('the header Idempotency-Key', () => {
  it.each(['!', '~', 'a'.repeat(255), '"8e03978e-40d5-43dd-bc93-6894a57f9324"'])('accepts %j', async key => {
    const collection = await newCollection(app, home);
    const first = await sendWith(app, key, inserting(collection, {}, collection.owner));
    expect(first.status).toBe(200);
    await app.sql(`DELETE FROM ${schema()}.idempotency_keys`);
  });

  it.each(['', ' ', 'a b', 'a'.repeat(256), 'caf\u00e9', 'a\tb'])('refuses %j', async key => {
    const collection = await newCollection(app, home);
    const before = await written(app, collection);
    expect(outcome(await sendWith(app, key, inserting(collection, {})))).toEqual([400, 'InvalidArguments']);
    expect(await written(app, collection)).toEqual(before);
  });

  it('is ignored by reads with GET or POST, even if it is malformed', async () => {
    const collection = await newCollection(app, home);
    const { data, owner, path } = collection;
    const steps = [{ type: 'count', output_field: 'n' }];
    const before = await storedResponses(app, home.org.id);
    for (const key of ['a b', 'reads']) {
      for (const [method, where, body] of [
        ['POST', `${data}/query`, {}],
        ['POST', `${data}/aggregate`, { steps }],
        ['GET', data, undefined],
        ['GET', path, undefined],
      ] as const) {
        const answer = await sendWith(app, key, { method, path: where, body, caller: owner });
        expect([answer.status, answer.headers.has('idempotency-replayed')]).toEqual([200, false]);
      }
    }
    expect(await storedResponses(app, home.org.id)).toEqual(before);
  });

  it('is documented for every POST and PATCH of /v1 except reads, and restoring from the trash', async () => {
    const description = (await app.request('GET', '/openapi.json')).body;
    const writes = routesOf(app.nest).filter(({ name }) => /^(POST|PATCH) \/v1\//.test(name));
    const without = writes.filter(({ name, path }) => {
      const method = (name.split(' ')[0] as string).toLowerCase();
      const operation = description.paths[path.replace(/:(\w+)/g, '{$1}')][method];
      return !operation.parameters?.some((each: { name: string }) => each.name === 'Idempotency-Key');
    });
    const exempt = [
      'searchRecords',
      'countRecordsByBody',
      'distinctValuesByBody',
      'exportRecordsByBody',
      'listChangesByBody',
      'aggregateRecords',
      'explainQuery',
      'explainInsert',
      'askCollection',
      'suggestSchema',
      'mcp',
      'mcpOfCollection',
      // The collection is not in the trash any more, so a second request gets 404, as for DELETE.
      'restoreCollection',
    ];
    expect(without.map(({ operationId }) => operationId).filter(id => !exempt.includes(id))).toEqual([]);
    expect(writes.length).toBeGreaterThan(without.length + 10);
  });
});

describe('a retry is the same request', () => {
  it('if it has the same bytes', async () => {
    const collection = await newCollection(app, home);
    const [key, sent] = [newRetryKey(), inserting(collection, { a: 1, b: { c: 'x' } })];
    const first = await sendWith(app, key, sent);
    const again = {
      ...collection.owner,
      headers: { 'idempotency-key': key, 'content-type': 'application/json' },
    };
    const compressed = { ...again.headers, 'content-encoding': 'gzip' };
    const raw = JSON.stringify(sent.body);
    const answers = [
      await app.request('POST', collection.data, { ...again, raw }),
      await app.request('POST', collection.data, { ...again, raw: gzipSync(raw), headers: compressed }),
    ];
    expect(answers.map(observed)).toEqual(answers.map(() => [200, first.text, 'true']));
    const other = await app.request('POST', collection.data, { ...again, raw: `${raw} ` });
    expect(outcome(other)).toEqual([422, 'IdempotencyKeyReused']);
    expect((await written(app, collection))[0]).toBe(1);
  });

  it.each([
    ['', { records: [{ n: 1, label: 'x' }, { n: 2 }] }],
    ['/bulk', { records: [{ n: 1, label: 'x' }, { n: 2 }] }],
    ['/upsert', { match_fields: ['n'], data: { n: 1, label: 'x' } }],
  ])('if version 1.0.0 stored the response, by the same JSON: %j', async (path, body) => {
    const collection = await newCollection(app, home, N);
    const key = newRetryKey();
    const sent = { method: 'POST', path: collection.data + path, body, caller: collection.owner };
    const first = await sendWith(app, key, sent);
    const request = await jsonDigest('POST', sent.path, body);
    await app.sql(`UPDATE ${schema()}.idempotency_keys SET request = $2 WHERE key = $1`, [key, request]);
    const before = await written(app, collection);
    expect(observed(await sendWith(app, key, sent))).toEqual([first.status, first.text, 'true']);
    const other = { ...sent, body: { ...body, more: 1 } };
    expect(outcome(await sendWith(app, key, other))).toEqual([422, 'IdempotencyKeyReused']);
    expect(await written(app, collection)).toEqual(before);
  });

  it.each([
    ['another body', { body: { records: { n: 2 } } }],
    ['a list in another order', { body: { records: [{ n: 2 }, { n: 1 }] } }],
    ['another path', { path: '/bulk' }],
  ])('but not with %s', async (_, other: { body?: object; path?: string }) => {
    const collection = await newCollection(app, home, N);
    const [key, sent] = [newRetryKey(), inserting(collection, [{ n: 1 }, { n: 2 }])];
    await sendWith(app, key, sent);
    const before = await written(app, collection);
    const answer = await sendWith(app, key, {
      ...sent,
      ...other,
      path: collection.data + (other.path ?? ''),
    });
    expect(outcome(answer)).toEqual([422, 'IdempotencyKeyReused']);
    expect(answer.text).not.toContain(key);
    expect(await written(app, collection)).toEqual(before);
  });

  it('but not with another method', async () => {
    const collection = await newCollection(app, home, N);
    const [id] = await insert(app, collection, { n: 1 });
    const key = newRetryKey();
    await sendWith(app, key, { method: 'PATCH', path: collection.path, body: {}, caller: collection.owner });
    const other = { method: 'POST', path: `${collection.path}/indexes`, body: {}, caller: collection.owner };
    expect(outcome(await sendWith(app, key, other))).toEqual([422, 'IdempotencyKeyReused']);
    expect((await read(app, collection, id as string)).n).toBe(1);
  });

  it('if it comes from the same person in any session, but not from another caller', async () => {
    const collection = await newCollection(app, home);
    const apiKey = await newKey(app, home.org);
    const other = await newKey(app, home.org);
    const key = newRetryKey();
    const ids: string[] = [];
    for (const caller of [collection.owner, { key: apiKey.apiKey }, { key: other.apiKey }]) {
      const answer = await sendWith(app, key, inserting(collection, { n: 1 }, caller));
      expect([answer.status, answer.headers.has('idempotency-replayed')]).toEqual([200, false]);
      ids.push(...answer.body.ids);
    }
    expect(new Set(ids).size).toBe(3);
    const minted = await app.request('POST', '/v2/user/accessTokens', {
      ...collection.owner,
      body: { name: 'laptop', expiresAt: new Date(Date.now() + 3_600_000).toISOString() },
    });
    const { token } = minted.body;
    expect(token).toMatch(/^at:/);
    const again = await sendWith(app, key, inserting(collection, { n: 1 }, { token }));
    expect([again.body.ids, again.headers.get('idempotency-replayed')]).toEqual([[ids[0]], 'true']);
  });
});

describe('a refusal', () => {
  it('is not stored: the request is executed again', async () => {
    const collection = await newCollection(app, home, UNIQUE_N);
    const [taken] = await insert(app, collection, { n: 1 });
    const [key, sent] = [newRetryKey(), inserting(collection, { n: 1 })];
    expect(outcome(await sendWith(app, key, sent))).toEqual([409, 'AlreadyExists']);
    await app.request('DELETE', `${collection.data}/${taken}`, collection.owner);
    const done = await sendWith(app, key, sent);
    expect(observed(done)).toEqual([200, done.text, null]);
    expect(observed(await sendWith(app, key, sent))).toEqual([200, done.text, 'true']);
  });

  it('because a record does not exist, or too many match, leaves the key free', async () => {
    const collection = await newCollection(app, home, N);
    const [id] = await insert(app, collection, { n: 1 }, { n: 2 });
    const patch = (body: object, path = '') => ({
      method: 'PATCH',
      path: collection.data + path,
      body,
      caller: collection.owner,
    });
    for (const [key, update] of [
      [newRetryKey(), { $inc: { n: 1 } }],
      [newRetryKey(), { $push: { list: 1 } }],
    ] as const) {
      const many = patch({ filter: { n: { $gt: 0 } }, update, max_affected: 1 });
      expect(outcome(await sendWith(app, key, many))).toEqual([400, 'InvalidArguments']);
      const absent = patch(update, '/01a1fc7b-0000-7000-8000-000000000000');
      expect(outcome(await sendWith(app, key, absent))).toEqual([404, 'RecordNotFound']);
      expect(observed(await sendWith(app, key, patch(update, `/${id}`)))[2]).toBeNull();
    }
    expect(await read(app, collection, id as string)).toMatchObject({ n: 2, list: [1] });
  });

  it('that only the repetition would cause is not given: the first answer is returned', async () => {
    const collection = await newCollection(app, home, { ...UNIQUE_N, settings: { max_records: 1 } });
    const [key, sent] = [newRetryKey(), inserting(collection, { n: 1 })];
    const first = await sendWith(app, key, sent);
    expect(outcome(await sendWith(app, newRetryKey(), sent))[0]).not.toBe(200);
    expect(observed(await sendWith(app, key, sent))).toEqual([200, first.text, 'true']);
    await app.request('PATCH', `${collection.path}/schema`, {
      ...collection.owner,
      body: { properties: { must: { type: 'text' } } },
    });
    await expire(app, collection, ...first.body.ids);
    expect(observed(await sendWith(app, key, sent))).toEqual([200, first.text, 'true']);
  });
});

describe('a retry', () => {
  it('is answered only if the caller still has the right to do the operation', async () => {
    const collection = await newCollection(app, home);
    const member = await newMember(app, home.org);
    const binding = `${collection.path}/access/user/${member.userId}`;
    const body = { principal_type: 'user', principal_id: member.userId, role: 'editor' };
    await app.request('POST', `${collection.path}/access`, { ...collection.owner, body });
    const [key, sent] = [newRetryKey(), inserting(collection, { n: 1 }, { token: member.token })];
    const first = await sendWith(app, key, sent);
    expect(first.status).toBe(200);
    await app.request('PATCH', binding, { ...collection.owner, body: { role: 'reader' } });
    expect(outcome(await sendWith(app, key, sent))).toEqual([403, 'Forbidden']);
    await app.request('DELETE', binding, collection.owner);
    expect(outcome(await sendWith(app, key, sent))).toEqual([404, 'CollectionNotFound']);
    expect(outcome(await sendWith(app, key, { ...sent, body: { records: {} } }))).toEqual([
      404,
      'CollectionNotFound',
    ]);
  });

  it('of a write that changed nothing changes nothing either', async () => {
    const collection = await newCollection(app, home, N);
    const [id] = await insert(app, collection, { n: 1, list: [1] });
    const path = `${collection.data}/${id}`;
    for (const [update, other] of [
      [{ n: 1 }, { n: 2 }],
      [{ $addToSet: { list: 1 } }, { list: [2] }],
    ] as const) {
      const [key, sent] = [newRetryKey(), { method: 'PATCH', path, body: update, caller: collection.owner }];
      const first = await sendWith(app, key, sent);
      expect(first.body).toEqual({ matched_count: 1, updated_count: 0 });
      await app.request('PATCH', path, { ...collection.owner, body: other });
      expect(observed(await sendWith(app, key, sent))).toEqual([200, first.text, 'true']);
      expect(await read(app, collection, id as string)).toMatchObject(other);
    }
  });

  it('of a set of indexes that existed does not create them again', async () => {
    const collection = await newCollection(app, home, { ...N, indexes: [{ properties: ['n'] }] });
    const path = `${collection.path}/indexes`;
    const apply = (indexes: object[]) => ({
      method: 'POST',
      path,
      body: { indexes },
      caller: collection.owner,
    });
    const key = newRetryKey();
    const first = await sendWith(app, key, apply([{ properties: ['n'] }]));
    expect(first.status).toBe(200);
    await sendWith(app, newRetryKey(), apply([]));
    expect(observed(await sendWith(app, key, apply([{ properties: ['n'] }])))).toEqual([
      200,
      first.text,
      'true',
    ]);
    const { body } = await app.request('GET', collection.path, collection.owner);
    expect(body.indexes).toEqual([]);
  });

  it('of a dry run is a dry run, and leaves the key free for the actual request', async () => {
    const collection = await newCollection(app, home, N);
    await insert(app, collection, { n: 1 });
    const key = newRetryKey();
    const body = { filter: { n: 1 }, update: { $inc: { n: 1 } } };
    const sent = { method: 'PATCH', path: collection.data, body, caller: collection.owner };
    const dry = { ...sent, body: { ...body, dry_run: true } };
    for (let time = 0; time < 2; time++) {
      const answer = await sendWith(app, key, dry);
      expect([answer.body.dry_run, answer.headers.has('idempotency-replayed')]).toEqual([true, false]);
    }
    expect((await sendWith(app, key, sent)).body).toEqual({ matched_count: 1, updated_count: 1 });
    expect(outcome(await sendWith(app, key, dry))).toEqual([422, 'IdempotencyKeyReused']);
  });

  it('writes no event, and its key appears in no event', async () => {
    const collection = await newCollection(app, home);
    const [key, sent] = [newRetryKey(), inserting(collection, { n: 1 })];
    await sendWith(app, key, sent);
    const events = await eventsOf(app, collection);
    await sendWith(app, key, sent);
    expect(await eventsOf(app, collection)).toEqual(events);
    expect(JSON.stringify(events)).not.toContain(key);
  });
});

describe('a stored answer', () => {
  it('is valid for 24 hours, after which the key is free, whether or not the job has run', async () => {
    const collection = await newCollection(app, home);
    const [key, sent] = [newRetryKey(), inserting(collection, { n: 1 })];
    const age = (interval: string) =>
      app.sql(`UPDATE ${schema()}.idempotency_keys SET created_at = now() - $2::interval WHERE key = $1`, [
        key,
        interval,
      ]);
    const first = await sendWith(app, key, sent);
    await age('23 hours 59 minutes');
    expect(observed(await sendWith(app, key, sent))).toEqual([200, first.text, 'true']);
    await age('24 hours');
    const anew = await sendWith(app, key, { ...sent, body: { records: { n: 2 } } });
    expect([anew.status, anew.headers.has('idempotency-replayed')]).toEqual([200, false]);
    expect((await written(app, collection))[0]).toBe(2);
  });

  it('is deleted by the job after 24 hours, in every organization, and not before', async () => {
    const elsewhere = await newHome(app);
    const orgs = [home.org.id, elsewhere.org.id];
    const keys = [newRetryKey(), newRetryKey()];
    for (const there of [home, elsewhere]) {
      const collection = await newCollection(app, there);
      for (const key of keys) await sendWith(app, key, inserting(collection, { n: 1 }));
    }
    for (const id of orgs) {
      await app.sql(
        `UPDATE ${schemaOf(id)}.idempotency_keys SET created_at = now() - interval '24 hours' WHERE key = $1`,
        [keys[0]],
      );
    }
    await app.nest.get(Schedule, { strict: false }).removeStoredResponses();
    for (const id of orgs) {
      const left = (await storedResponses(app, id)).map(row => row.key);
      expect(left).toContain(keys[1]);
      expect(left).not.toContain(keys[0]);
    }
  });

  it('that shows a secret is stored encrypted, and can be decrypted only for its caller and its key', async () => {
    const { path, owner } = await newCollection(app, home);
    const body = { slug: newSlug(), name: 'Dashboard' };
    const sent = { method: 'POST', path: `${path}/api-keys`, body, caller: owner };
    const [key, stolen] = [newRetryKey(), newRetryKey()];
    const { body: minted, text } = await sendWith(app, key, sent);
    expect(minted.secret).toMatch(/^iak_/);
    const row = (await storedResponses(app, home.org.id)).find(each => each.key === key);
    expect(row).toMatchObject({ sealed: true, status: 201 });
    expect(row.answer).not.toContain(minted.secret.slice(-20));
    expect(row.answer).not.toContain(minted.id);
    expect((await sendWith(app, key, sent)).text).toBe(text);
    // Write access to the table does not suffice to move an answer to another key.
    await app.sql(`UPDATE ${schema()}.idempotency_keys SET key = $2 WHERE key = $1`, [key, stolen]);
    const moved = await sendWith(app, stolen, sent);
    expect([moved.status, moved.text.includes('iak_')]).toEqual([500, false]);
  });

  it('is not returned to a credential of the same person with fewer rights', async () => {
    const { path, owner } = await newCollection(app, home);
    const body = { slug: newSlug(), name: 'Dashboard' };
    const sent = { method: 'POST', path: `${path}/api-keys`, body, caller: owner };
    const key = newRetryKey();
    await sendWith(app, key, sent);
    const { apiKey } = await newKey(app, home.org, {
      ownerType: 'user',
      ownerId: home.org.owner.userId,
      permissions: ['collections:keys', 'collections:read'],
    });
    const answer = await sendWith(app, key, { ...sent, caller: { key: apiKey } });
    expect(outcome(answer)).toEqual([409, 'AlreadyExists']);
  });

  it('of a created collection is returned even if the name is in use', async () => {
    const sent = {
      method: 'POST',
      path: '/v1/collections',
      body: { name: newName() },
      caller: home.owner,
    };
    const key = newRetryKey();
    const first = await sendWith(app, key, sent);
    expect(outcome(await sendWith(app, newRetryKey(), sent))).toEqual([409, 'AlreadyExists']);
    expect(observed(await sendWith(app, key, sent))).toEqual([200, first.text, 'true']);
  });
});
