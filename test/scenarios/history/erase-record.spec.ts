import { randomUUID } from 'node:crypto';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, beforeEach, describe, expect, it } from 'vitest';
import { NameRecordsOfMessages1795000030900 } from '../../../migrations/1795000030900-name-records-of-messages.js';
import { Webhook } from '../../../src/features/changes/webhooks/webhook.entity.js';
import { movedStatement } from '../../../src/features/changes/webhooks/webhook-outbox.js';
import { execute } from '../../../src/platform/database/queryable.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  expire,
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  type TestCollection,
} from '../../harness/collection.js';
import { send, succeed } from '../../harness/collection-requests.js';
import { onCitus } from '../../harness/on-citus.js';
import { searchDatabase } from '../../harness/secret-search.js';
import { now, pulled, until } from '../changes/feed.js';
import { guest } from '../sharing/sharing.js';
import { type Receiver, startReceiver } from '../webhooks/receiver.js';

describe('erasing a record', () => {
  let app: TestApp;
  let home: Home;
  let receiver: Receiver;
  let people: TestCollection;
  beforeAll(async () => {
    app = await startOwnApp({
      database: 'own',
      environment: { OUTBOUND_ALLOW_INSECURE_HOSTS: '127.0.0.1' },
    });
    home = await newHome(app);
    receiver = await startReceiver();
  });
  beforeEach(async () => {
    people = await newCollection(app, home, { properties: { name: { type: 'text' } } });
  });
  afterAll(async () => {
    await app.close();
    await receiver.close();
  });

  const erase = (id: string | undefined, caller = home.owner, query = '?erase=true') =>
    app.request('DELETE', `${people.data}/${id}${query}`, caller);
  const update = (id: string | undefined, set: object) =>
    succeed(app, people, 'PATCH', `/data/${id}`, { $set: set });

  /** The tables with a row that contains the text. */
  async function tablesWith(text: string): Promise<string[]> {
    const found = new Set<string>();
    await searchDatabase(app.settings.DATABASE_URL as string, (row, table) => {
      if (row.includes(text)) found.add(table.replace(/^.*\./, ''));
    });
    return [...found].sort();
  }

  it.skipIf(onCitus.refusesFeeds)('leaves nothing of it in the database but its id', async () => {
    const since = await now(app, people);
    await succeed(app, people, 'POST', '/webhooks', { url: receiver.url });
    const mark = `secret ${randomUUID()}`;
    const retried = {
      ...home.owner,
      body: { records: [{ name: mark, note: mark }, { name: 'Ada' }] },
      headers: { 'idempotency-key': randomUUID() },
    };
    const [id, ada] = (await app.request('POST', people.data, retried)).body.ids;
    await update(id, { name: `${mark} again` });
    await update(id, { name: `${mark} at last` });
    await until(() => receiver.arrived.flatMap(({ changes }) => changes).length === 4, 'all messages');
    const kept = await tablesWith(mark);
    expect(kept).toEqual(expect.arrayContaining(['h_…', 'record_changes', 'webhook_deliveries']));

    const answer = await erase(id);

    expect([answer.status, answer.body]).toEqual([200, { deleted_count: 1, erased_versions: 2 }]);
    expect(await tablesWith(mark)).toEqual([]);
    for (const path of [id, `${id}/history`, `${id}?as_of=${new Date().toISOString()}`])
      expect(outcome(await send(app, people, 'GET', `/data/${path}`))).toEqual([404, 'RecordNotFound']);
    expect((await eventsOf(app, people)).at(-1)).toMatchObject({
      type: 'collections.records.erased',
      count: 1,
      record_ids: [id],
      changes: null,
    });
    expect(
      (await pulled(app, people, since)).map(({ type, record_id, record }) => [type, record_id, record]),
    ).toEqual([
      ['inserted', ada, expect.objectContaining({ name: 'Ada' })],
      ['deleted', id, { _id: id }],
    ]);
    const messages = await app.sql('SELECT payload FROM webhook_deliveries ORDER BY id');
    const sent = messages.flatMap(({ payload }) => JSON.parse(payload).data.changes);
    expect(sent.slice(0, 4).map(({ type, record_id, record }) => [type, record_id, record])).toEqual([
      ['inserted', id, { _id: id }],
      ['inserted', ada, expect.objectContaining({ name: 'Ada' })],
      ['updated', id, { _id: id }],
      ['updated', id, { _id: id }],
    ]);
    // A late retry of the insert does not bring the record back.
    expect((await app.request('POST', people.data, retried)).body.ids).toEqual([id, ada]);
    expect(await tablesWith(mark)).toEqual([]);
  });

  it.skipIf(onCitus.refusesFeeds)('reads no message that does not contain the record', async () => {
    const { id: webhookId } = await succeed(app, people, 'POST', '/webhooks', { url: receiver.url });
    const messages = () =>
      app.sql(`SELECT id, payload, status FROM webhook_deliveries WHERE webhook_id = $1 ORDER BY id`, [
        webhookId,
      ]);
    const inserted: string[] = [];
    for (const name of ['Ada', 'Eve']) {
      inserted.push(...(await insert(app, people, { name })));
      const delivered = async () => (await messages()).filter(({ status }) => status === 'delivered');
      await until(async () => (await delivered()).length === inserted.length, 'the message');
    }
    // A search in the payloads would find this one, and fail because it has no changes.
    const unreadable = `{"data":{"record_id":"${inserted[1]}"}}`;
    const [first] = await messages();
    await app.sql('UPDATE webhook_deliveries SET payload = $2 WHERE id = $1', [first.id, unreadable]);
    expect((await erase(inserted[1])).status).toBe(200);
    const [kept, erased] = await messages();
    expect(kept.payload).toBe(unreadable);
    expect(JSON.parse(erased.payload).data.changes).toMatchObject([{ record: { _id: inserted[1] } }]);
    expect(erased.payload).not.toContain('Eve');
  });

  it.skipIf(onCitus.refusesFeeds)('reaches messages that were stored before they named records', async () => {
    const { id: webhookId } = await succeed(app, people, 'POST', '/webhooks', { url: receiver.url });
    const [id] = await insert(app, people, { name: 'Ada' });
    const payloads = () =>
      app.sql('SELECT payload FROM webhook_deliveries WHERE webhook_id = $1 AND changes > 0', [webhookId]);
    await until(async () => (await payloads()).length === 1, 'the message');
    await app.sql(
      `INSERT INTO webhook_deliveries (id, webhook_id, status, changes, payload)
       SELECT gen_random_uuid(), $1, 'dead', 0, '{"type":"webhook.test","data":{}}' FROM generate_series(1, 1100)`,
      [webhookId],
    );
    const runner = app.nest.get(DataSource).createQueryRunner();
    const migration = new NameRecordsOfMessages1795000030900();
    await migration.down(runner);
    await migration.up(runner);
    await migration.up(runner);
    await runner.release();
    expect((await erase(id)).status).toBe(200);
    for (const { payload } of await payloads()) expect(payload).not.toContain('Ada');
  });

  it('erases what is left of a record that was deleted before', async () => {
    const [id] = await insert(app, people, { name: 'Ada' });
    await update(id, { name: 'Eve' });
    await succeed(app, people, 'DELETE', `/data/${id}`);
    const answer = await erase(id);
    expect([answer.status, answer.body]).toEqual([200, { deleted_count: 0, erased_versions: 2 }]);
    expect(outcome(await send(app, people, 'GET', `/data/${id}/history`))).toEqual([404, 'RecordNotFound']);
    expect(outcome(await erase(id))).toEqual([404, 'RecordNotFound']);
  });

  it('erases a record that has expired but was not removed yet', async () => {
    const mark = randomUUID();
    const [id] = await insert(app, people, { name: mark });
    await expire(app, people, id as string);
    expect((await erase(id)).body).toMatchObject({ deleted_count: 0 });
    expect(await tablesWith(mark)).toEqual([]);
  });

  it('gives the capacity of the record back', async () => {
    people = await newCollection(app, home, { settings: { max_records: 1 } });
    const [id] = await insert(app, people, { name: 'Ada' });
    await erase(id);
    await insert(app, people, { name: 'Eve' });
  });

  it.skipIf(onCitus.refusesFeeds)(
    'tells every follower that the record is gone, whatever its filter',
    async () => {
      const [id] = await insert(app, people, { name: 'Ada' });
      const since = await now(app, people);
      await erase(id);
      const changes = await pulled(app, people, since, { filter: { name: 'Ada' } });
      expect(changes.map(({ type, record }) => [type, record])).toEqual([['deleted', { _id: id }]]);
    },
  );

  it.skipIf(onCitus.refusesFeeds)(
    'keeps an instance that has read changes before from storing them in a message',
    async () => {
      const { id: webhookId } = await succeed(app, people, 'POST', '/webhooks', { url: receiver.url });
      const [id] = await insert(app, people, { name: 'Ada' });
      const { manager } = app.nest.get(DataSource);
      const message = { id: randomUUID(), changes: 1, payload: '{"data":{}}', recordIds: [randomUUID()] };
      const moved = async (webhook: Webhook) =>
        execute(
          manager,
          movedStatement(webhook, { feed: webhook.feed, xid: webhook.afterXid, seq: webhook.afterSeq }, [
            message,
          ]),
        );
      const before = await manager.findOneByOrFail(Webhook, { id: webhookId });
      await erase(id);
      const after = await manager.findOneByOrFail(Webhook, { id: webhookId });
      expect(await moved({ ...after, erasures: before.erasures })).toEqual([]);
      expect(await moved(after)).toEqual([{ id: message.id }]);
    },
  );

  it('is refused to editors, and hides the collection from others', async () => {
    const [id] = await insert(app, people, { name: 'Ada' });
    const editor = await guest(app, home.org, people, 'editor');
    expect(outcome(await erase(id, { token: editor.token }))).toEqual([403, 'Forbidden']);
    const stranger = await newHome(app);
    expect(outcome(await erase(id, stranger.owner))).toEqual([404, 'CollectionNotFound']);
    const admin = await guest(app, home.org, people, 'admin');
    expect((await erase(id, { token: admin.token })).body).toEqual({ deleted_count: 1, erased_versions: 0 });
  });

  it('erases only the version that If-Match names', async () => {
    const [id] = await insert(app, people, { name: 'Ada' });
    const { headers } = await send(app, people, 'GET', `/data/${id}`);
    const guarded = () =>
      app.request('DELETE', `${people.data}/${id}?erase=true`, {
        ...home.owner,
        headers: { 'if-match': headers.get('etag') as string },
      });
    await update(id, { name: 'Eve' });
    expect(outcome(await guarded())).toEqual([412, 'PreconditionFailed']);
    expect((await send(app, people, 'GET', `/data/${id}/history`)).body.items).toHaveLength(2);
    await succeed(app, people, 'DELETE', `/data/${id}`);
    expect(outcome(await guarded())).toEqual([404, 'RecordNotFound']);
  });

  it.each([
    ['', { deleted_count: 1 }],
    ['?erase=false', { deleted_count: 1 }],
  ])('with "%s" deletes the record and keeps its history', async (query, body) => {
    const [id] = await insert(app, people, { name: 'Ada' });
    expect((await erase(id, home.owner, query)).body).toEqual(body);
    expect((await send(app, people, 'GET', `/data/${id}/history`)).body.items).toHaveLength(2);
  });

  it('is refused for ids that nothing is known of', async () => {
    for (const id of [randomUUID(), 'x']) expect(outcome(await erase(id))).toEqual([404, 'RecordNotFound']);
    expect(outcome(await erase(randomUUID(), home.owner, '?erase=perhaps'))).toEqual([
      400,
      'InvalidArguments',
    ]);
  });
});
