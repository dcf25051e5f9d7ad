import { Logger } from '@nestjs/common';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it, onTestFinished, vi } from 'vitest';
import { ByteBudget } from '../../../src/base/kernel/bounds/byte-budget.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { typesAndValues, until } from '../changes/feed.js';
import { newKey, newMember } from '../orgs/org.js';
import { type Receiver, signatureOf, startReceiver } from './receiver.js';

let app: TestApp;
let home: Home;
let collection: TestCollection;
let receiver: Receiver;
beforeAll(async () => {
  app = await startOwnApp({ environment: { OUTBOUND_ALLOW_INSECURE_HOSTS: '127.0.0.1' } });
  home = await newHome(app);
});
afterAll(() => app.close());
beforeEach(async () => {
  collection = await newCollection(app, home, { properties: { n: { type: 'integer' } } });
  receiver = await startReceiver();
});
afterEach(() => receiver.close());

const send = (method: string, path: string, body?: object, caller = home.owner) =>
  app.request(method, `${collection.path}/webhooks${path}`, { ...caller, ...(body && { body }) });
const create = async (body: object = {}) => (await send('POST', '', { url: receiver.url, ...body })).body;
const deliveries = async (id: string, query = '') =>
  (await send('GET', `/${id}/deliveries${query}`)).body.items;
const arrivedChanges = () => receiver.arrived.flatMap(({ changes }) => changes);
const arrive = (count: number) => until(() => receiver.arrived.length >= count, `${count} messages`);
/** Moves the next attempt into the present. */
const hurry = (id: string) =>
  app.sql(`UPDATE webhook_deliveries SET due_at = now() WHERE webhook_id = $1 AND status = 'pending'`, [id]);

describe('a webhook', () => {
  it('receives `left` for records that no longer match its filter, if its events name it', async () => {
    const filter = { n: { $gte: 10 } };
    const { events } = await create({ filter, events: ['updated', 'left'] });
    expect(events).toEqual(['updated', 'left']);
    const other = await startReceiver();
    await create({ filter, url: other.url });
    const [id, erased] = await insert(app, collection, { n: 1 }, { n: 1 });
    for (const each of [id, erased])
      for (const n of [10, 2, 3])
        await app.request('PATCH', `${collection.data}/${each}`, { ...home.owner, body: { n } });
    await until(() => arrivedChanges().length === 4);
    expect(arrivedChanges().map(({ type, record_id, record }) => [type, record_id, record?.n])).toEqual(
      [id, erased].flatMap(each => [
        ['updated', each, 10],
        ['left', each, undefined],
      ]),
    );
    await until(() => other.arrived.flatMap(({ changes }) => changes).length === 2);
    expect(other.arrived.flatMap(({ changes }) => changes).map(({ type }) => type)).toEqual([
      'updated',
      'updated',
    ]);
    await other.close();
    await app.request('DELETE', `${collection.data}/${erased}?erase=true`, home.owner);
    const stored: { payload: string }[] = await app.sql(
      'SELECT payload FROM webhook_deliveries d JOIN webhooks w ON w.id = d.webhook_id WHERE w.url = $1',
      [receiver.url],
    );
    const kept = stored.flatMap(({ payload }) => JSON.parse(payload).data.changes);
    expect(kept.filter(({ record_id }) => record_id === erased)).toEqual([
      expect.objectContaining({ type: 'updated', record: { _id: erased } }),
      { id: expect.any(String), type: 'left', record_id: erased, changed_at: expect.any(String) },
    ]);
  });

  it('receives changes in order, signed with its secret', async () => {
    const { id, secret, ...view } = await create();
    expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]{43}=$/);
    expect(view).toEqual({
      object: 'collection.webhook',
      collection_id: collection.id,
      url: receiver.url,
      events: ['inserted', 'updated', 'deleted', 'expired'],
      filter: null,
      status: 'active',
      failing_since: null,
      created_at: expect.any(String),
      updated_at: expect.any(String),
    });
    const ids = await insert(app, collection, { n: 1 }, { n: 2 });
    await app.request('DELETE', `${collection.data}/${ids[0]}`, home.owner);
    await until(() => arrivedChanges().length === 3);
    expect(typesAndValues(arrivedChanges(), 'n')).toEqual([
      ['inserted', 1],
      ['inserted', 2],
      ['deleted', 1],
    ]);
    expect(arrivedChanges().map(({ record_id }) => record_id)).toEqual([ids[0], ids[1], ids[0]]);
    for (const message of receiver.arrived) {
      expect(message.headers['webhook-signature']).toBe(signatureOf(message, secret));
      expect(message.headers['content-type']).toBe('application/json');
      expect(Math.abs(Number(message.headers['webhook-timestamp']) - Date.now() / 1000)).toBeLessThan(60);
      expect(JSON.parse(message.body)).toMatchObject({
        type: 'collection.changed',
        data: { webhook_id: id, collection_id: collection.id },
      });
    }
    await until(async () =>
      (await deliveries(id)).every(({ status }: { status: string }) => status === 'delivered'),
    );
    expect((await deliveries(id))[0]).toMatchObject({ attempts: 1, last_status: 204, due_at: null });
  });

  it('receives no earlier changes, and none that its events and filter exclude', async () => {
    await create();
    await insert(app, collection, { n: 0 });
    await arrive(1);
    receiver.arrived.length = 0;
    await send('DELETE', `/${(await send('GET', '')).body.items[0].id}`);
    const { id } = await create({ events: ['updated', 'deleted'], filter: { n: { $gte: 10 } } });
    const [a, b] = await insert(app, collection, { n: 1 }, { n: 11 });
    const patch = (record: string, n: number) =>
      app.request('PATCH', `${collection.data}/${record}`, { ...home.owner, body: { n } });
    await patch(a!, 2);
    await patch(b!, 12);
    await patch(a!, 13);
    await app.request('DELETE', `${collection.data}/${b}`, home.owner);
    await until(() => arrivedChanges().length >= 3);
    expect(typesAndValues(arrivedChanges(), 'n')).toEqual([
      ['updated', 12],
      ['updated', 13],
      ['deleted', 12],
    ]);
    expect((await deliveries(id)).length).toBe(receiver.arrived.length);
  });

  it('never shows its secret again; a new one signs at once, the old one as long as requested', async () => {
    const { id, secret } = await create();
    for (const path of ['', `/${id}`]) expect((await send('GET', path)).text).not.toContain(secret);
    const [row] = await app.sql('SELECT sealed_secret FROM webhooks WHERE id = $1', [id]);
    expect(row.sealed_secret).not.toContain(secret.slice(6));
    const rotated = await send('POST', `/${id}/rotate`, { grace_seconds: 3600 });
    expect(rotated.body.secret).not.toBe(secret);
    await send('POST', `/${id}/test`, {});
    await arrive(1);
    const [first] = receiver.arrived;
    expect(first!.headers['webhook-signature']).toBe(
      `${signatureOf(first!, rotated.body.secret)} ${signatureOf(first!, secret)}`,
    );
    const last = await send('POST', `/${id}/rotate`, {});
    await send('POST', `/${id}/test`, {});
    await arrive(2);
    const second = receiver.arrived[1]!;
    expect(second.type).toBe('webhook.test');
    expect(second.headers['webhook-signature']).toBe(signatureOf(second, last.body.secret));
    expect(JSON.stringify(await eventsOf(app, collection))).not.toMatch(/whsec_|sealed/);
  });

  it('leaves one audit event for each change of it', async () => {
    const { id } = await create({ filter: { n: 1 } });
    await send('PATCH', `/${id}`, { active: false });
    await send('PATCH', `/${id}`, { active: true, filter: null });
    await send('POST', `/${id}/rotate`, {});
    await send('POST', `/${id}/test`, {});
    await arrive(1);
    await send('POST', `/${id}/deliveries/${receiver.arrived[0]!.id}/redeliver`, {});
    await send('DELETE', `/${id}`);
    const events = (await eventsOf(app, collection)).filter(({ type }) =>
      type.startsWith('collections.webhooks.'),
    );
    expect(events.map(({ type }) => type.split('.')[2])).toEqual([
      'created',
      'updated',
      'updated',
      'rotated',
      'tested',
      'redelivered',
      'deleted',
    ]);
    expect(events[2]!.changes).toEqual({
      before: {
        webhookId: id,
        url: receiver.url,
        events: expect.any(Array),
        filter: { n: 1 },
        status: 'paused',
      },
      after: { webhookId: id, url: receiver.url, events: expect.any(Array), filter: null, status: 'active' },
    });
  });

  it('receives, after a pause, the changes made meanwhile', async () => {
    const { id } = await create();
    await send('PATCH', `/${id}`, { active: false });
    await insert(app, collection, { n: 1 });
    expect(outcome(await send('POST', `/${id}/test`, {}))).toEqual([409, 'Conflict']);
    await send('PATCH', `/${id}`, { active: true });
    await arrive(1);
    expect(typesAndValues(arrivedChanges(), 'n')).toEqual([['inserted', 1]]);
  });

  it('is told that it missed changes when they are no longer stored, and continues', async () => {
    const { id } = await create();
    await send('PATCH', `/${id}`, { active: false });
    await insert(app, collection, { n: 1 });
    const schema = collection.table.split('.')[0];
    await app.sql(
      `UPDATE ${schema}.record_feeds SET (kept_xid, kept_seq) = (SELECT xid, seq FROM ${schema}.record_changes
       WHERE collection_id = $1 ORDER BY xid DESC, seq DESC LIMIT 1) WHERE collection_id = $1`,
      [collection.id],
    );
    await send('PATCH', `/${id}`, { active: true });
    await arrive(1);
    expect(receiver.arrived.map(({ type }) => type)).toEqual(['collection.changes_missed']);
    await insert(app, collection, { n: 2 });
    await arrive(2);
    expect(typesAndValues(arrivedChanges(), 'n')).toEqual([['inserted', 2]]);
  });

  it('is deleted with its collection for good', async () => {
    const { id } = await create();
    await insert(app, collection, { n: 1 });
    await arrive(1);
    const deleted = await app.request('DELETE', `${collection.path}?permanent=true`, home.owner);
    expect(deleted.status).toBe(200);
    expect(await app.sql('SELECT FROM webhooks WHERE id = $1', [id])).toEqual([]);
    expect(await app.sql('SELECT FROM webhook_deliveries WHERE webhook_id = $1', [id])).toEqual([]);
  });
});

describe('a long message', () => {
  it('uses memory of the budget while it is sent, and releases it', async () => {
    const held = () => app.nest.get(ByteBudget).state.used;
    await create();
    receiver.answer = 'hold';
    const text = 'x'.repeat(1024 * 1024);
    await insert(app, collection, { text });
    await arrive(1);
    expect(arrivedChanges()[0]?.record).toMatchObject({ text });
    expect(held()).toBeGreaterThan(3 * text.length);
    receiver.release(204);
    await until(() => held() === 0);
  });
});

describe('a message that is not delivered', () => {
  /** Waits until this attempt has failed and the next one is so many seconds later. */
  const waits = (id: string, attempts: number, least: number, most: number) =>
    until(async () => {
      const [row] = await app.sql(
        'SELECT attempts, last_status, extract(epoch FROM due_at - attempted_at)::float8 AS wait FROM webhook_deliveries WHERE webhook_id = $1',
        [id],
      );
      // During an attempt, the row shows the result of the previous one.
      return (
        row?.attempts === attempts &&
        row.last_status === receiver.answer &&
        row.wait > least &&
        row.wait < most
      );
    });

  it('is sent again unchanged after growing delays', async () => {
    const { id } = await create();
    receiver.answer = 500;
    await insert(app, collection, { n: 1 });
    await waits(id, 1, 3.9, 7);
    await hurry(id);
    await waits(id, 2, 15.9, 25);
    expect((await send('GET', `/${id}`)).body.failing_since).not.toBeNull();
    receiver.answer = 200;
    await hurry(id);
    await arrive(3);
    await until(async () => (await deliveries(id, '?status=delivered')).length === 1);
    expect(new Set(receiver.arrived.map(each => each.id)).size).toBe(1);
    expect(new Set(receiver.arrived.map(({ body }) => body)).size).toBe(1);
    expect((await send('GET', `/${id}`)).body.failing_since).toBeNull();
  });

  it('is sent again when its receiver asks for it with Retry-After, at most an hour later', async () => {
    const { id } = await create();
    Object.assign(receiver, { answer: 503, retryAfter: '120' });
    await insert(app, collection, { n: 1 });
    await waits(id, 1, 119, 130);
    receiver.retryAfter = new Date(Date.now() + 86_400_000).toUTCString();
    await hurry(id);
    await waits(id, 2, 3_599, 3_610);
    Object.assign(receiver, { answer: 429, retryAfter: 'soon' });
    await hurry(id);
    await waits(id, 3, 60, 100);
  });

  it('is marked dead after ten attempts, is listed, and can be sent again', async () => {
    const { id } = await create();
    receiver.answer = 503;
    await insert(app, collection, { n: 1 });
    await arrive(1);
    await app.sql('UPDATE webhook_deliveries SET attempts = 9 WHERE webhook_id = $1', [id]);
    await until(async () => (await deliveries(id))[0].last_status === 503);
    await hurry(id);
    await until(async () => (await deliveries(id, '?status=dead')).length === 1);
    const [dead] = await deliveries(id, '?status=dead');
    expect(dead).toMatchObject({ attempts: 10, last_status: 503, due_at: null, changes: 1 });
    expect(await deliveries(id, '?status=pending')).toEqual([]);
    receiver.answer = 200;
    const again = await send('POST', `/${id}/deliveries/${dead.id}/redeliver`, {});
    expect([again.status, again.body.status]).toEqual([200, 'pending']);
    await until(async () => (await deliveries(id, '?status=delivered')).length === 1);
    expect(receiver.arrived.at(-1)!.id).toBe(dead.id);
  });

  it('because its secret cannot be decrypted counts as failed, is retried, and is marked dead in the end', async () => {
    const { id, secret } = await create();
    const logged = vi.spyOn(Logger.prototype, 'error').mockImplementation(() => undefined);
    onTestFinished(() => logged.mockRestore());
    const [{ sealed_secret: sealed }] = await app.sql('SELECT sealed_secret FROM webhooks WHERE id = $1', [
      id,
    ]);
    const seal = (text: string) =>
      app.sql('UPDATE webhooks SET sealed_secret = $2 WHERE id = $1', [id, text]);
    // Replaces the secret with one encrypted under a master key that the instance does not have.
    await seal(`${sealed.slice(0, -8)}AAAAAAAA`);
    await insert(app, collection, { n: 1 });
    await until(async () => (await deliveries(id))[0]?.attempts === 1);
    await until(async () => (await send('GET', `/${id}`)).body.failing_since !== null);
    const [failed] = await deliveries(id);
    expect(failed).toMatchObject({ status: 'pending', last_status: null, due_at: expect.any(String) });
    const lines = logged.mock.calls.flat().map(String);
    expect(lines).toContainEqual(expect.stringContaining(`the secret of webhook ${id} cannot be opened`));
    expect(lines.join()).not.toContain(secret);

    await app.sql('UPDATE webhook_deliveries SET attempts = 9 WHERE webhook_id = $1', [id]);
    await hurry(id);
    await until(async () => (await deliveries(id, '?status=dead')).length === 1);
    expect(receiver.arrived).toEqual([]);
    await seal(sealed);
    expect((await send('POST', `/${id}/deliveries/${failed.id}/redeliver`, {})).status).toBe(200);
    await arrive(1);
    expect(receiver.arrived[0]!.headers['webhook-signature']).toBe(signatureOf(receiver.arrived[0]!, secret));
  });

  it('does not block other webhooks', async () => {
    const slow = await create();
    receiver.answer = 'hold';
    const quick = await startReceiver();
    try {
      await create({ url: quick.url });
      for (let n = 0; n < 30; n++) await send('POST', `/${slow.id}/test`, {});
      await insert(app, collection, { n: 1 });
      await until(() => quick.arrived.length === 1, 'the other webhook');
      expect(receiver.arrived.length).toBeLessThanOrEqual(4);
      receiver.answer = 200;
      receiver.release(200);
      await until(() => new Set(receiver.arrived.map(({ id }) => id)).size === 31);
    } finally {
      await quick.close();
    }
  });

  it('for days disables the webhook, with an audit event; a 410 does so at once', async () => {
    const { id } = await create();
    receiver.answer = 500;
    await app.sql(`UPDATE webhooks SET failing_since = now() - interval '6 days' WHERE id = $1`, [id]);
    await insert(app, collection, { n: 1 });
    await until(async () => (await send('GET', `/${id}`)).body.status === 'failing');
    await send('PATCH', `/${id}`, { active: true });
    expect((await send('GET', `/${id}`)).body).toMatchObject({ status: 'active', failing_since: null });
    receiver.answer = 410;
    await hurry(id);
    await until(async () => (await send('GET', `/${id}`)).body.status === 'gone');
    const events = (await eventsOf(app, collection)).filter(
      ({ type }) => type === 'collections.webhooks.disabled',
    );
    expect(events.map(({ actor, changes }) => [actor.via, changes.after.status])).toEqual([
      ['job', 'failing'],
      ['job', 'gone'],
    ]);
  });

  it('never goes to a private address, and reveals nothing about it', async () => {
    const strict = await startOwnApp({ database: 'own' });
    try {
      const org = await newHome(strict);
      const own = await newCollection(strict, org);
      const post = (url: string) =>
        strict.request('POST', `${own.path}/webhooks`, { ...org.owner, body: { url } });
      expect(outcome(await post(receiver.url))).toEqual([400, 'InvalidArguments']);
      expect(outcome(await post('ftp://example.com/'))).toEqual([400, 'InvalidArguments']);
      expect(outcome(await post('https://ada:secret@example.com/'))).toEqual([400, 'InvalidArguments']);
      expect(outcome(await post(receiver.url.replace('http:', 'https:')))).toEqual([400, 'InvalidArguments']);
      // The name is checked when it is called.
      const { body } = await post(receiver.url.replace('http://127.0.0.1', 'https://localhost'));
      await insert(strict, own, { n: 1 });
      const list = () => strict.request('GET', `${own.path}/webhooks/${body.id}/deliveries`, org.owner);
      await until(async () => (await list()).body.items[0]?.last_attempt_at !== undefined);
      await until(async () => (await list()).body.items[0].attempts === 1);
      const { items } = (await list()).body;
      expect(items).toMatchObject([{ status: 'pending', last_status: null }]);
      expect((await list()).text).not.toMatch(/refused|address|ECONN/);
      expect(receiver.arrived).toEqual([]);
    } finally {
      await strict.close();
    }
  });
});

describe('access to webhooks', () => {
  it('is for admins: members with lesser roles get 403, strangers 404, a key of the collection 403', async () => {
    const { id } = await create();
    const member = await newMember(app, home.org);
    const share = { principal_type: 'user', principal_id: member.userId, role: 'editor' };
    await app.request('POST', `${collection.path}/access`, { ...home.owner, body: share });
    const stranger = (await newHome(app)).owner;
    const minted = await app.request('POST', `${collection.path}/api-keys`, {
      ...home.owner,
      body: { name: 'k', slug: `k-${collection.id}`, permissions: ['collections:*'] },
    });
    const weak = await newKey(app, home.org, { permissions: ['collections:read', 'collections:write'] });
    for (const [method, path, body] of [
      ['GET', ''],
      ['POST', '', { url: receiver.url }],
      ['GET', `/${id}`],
      ['PATCH', `/${id}`, { active: false }],
      ['DELETE', `/${id}`],
      ['POST', `/${id}/rotate`, {}],
      ['POST', `/${id}/test`, {}],
      ['GET', `/${id}/deliveries`],
      ['POST', `/${id}/deliveries/${id}/redeliver`, {}],
    ] as const) {
      const as = async (caller: object) => (await send(method, path, body, caller)).status;
      expect([method, path, await as({ token: member.token })]).toEqual([method, path, 403]);
      expect([method, path, await as(stranger)]).toEqual([method, path, 404]);
      expect([method, path, await as({ key: minted.body.secret })]).toEqual([method, path, 403]);
      expect([method, path, await as({ key: weak.apiKey })]).toEqual([method, path, 403]);
    }
    expect((await send('GET', `/${id}`)).body.status).toBe('active');
  });

  it('requires read access to records for webhooks that receive them', async () => {
    const { id } = await create();
    const { apiKey: key } = await newKey(app, home.org, { permissions: ['collections:manage'] });
    expect(outcome(await send('POST', '', { url: receiver.url }, { key }))).toEqual([403, 'Forbidden']);
    expect(outcome(await send('PATCH', `/${id}`, { url: receiver.url }, { key }))).toEqual([
      403,
      'Forbidden',
    ]);
    expect(outcome(await send('GET', `/${id}`, undefined, { key }))).toEqual([200, undefined]);
  });

  it('finds the webhooks of this collection only', async () => {
    const { id } = await create();
    const other = await newCollection(app, home);
    for (const path of [`/${id}`, `/${id}/deliveries`, '/nothing']) {
      const answer = await app.request('GET', `${other.path}/webhooks${path}`, home.owner);
      expect(outcome(answer)).toEqual([404, 'NotFound']);
    }
    expect(outcome(await send('POST', `/${id}/deliveries/${id}/redeliver`, {}))).toEqual([404, 'NotFound']);
  });

  it.each([
    [{ url: 'nonsense' }],
    [{ events: ['renamed'] }],
    [{ events: [] }],
    [{ filter: { $where: '1' } }],
    [{ secret: 'mine' }],
  ])('refuses %j with 400', async body => {
    expect(outcome(await send('POST', '', { url: receiver.url, ...body }))).toEqual([
      400,
      'InvalidArguments',
    ]);
  });

  it('is limited to twenty webhooks', async () => {
    const answers = await Promise.all(
      Array.from({ length: 22 }, () => send('POST', '', { url: receiver.url })),
    );
    expect(answers.map(({ status }) => status).sort()).toEqual([...Array(20).fill(201), 409, 409]);
    expect((await send('GET', '')).body.total).toBe(20);
  });
});
