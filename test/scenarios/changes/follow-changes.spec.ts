import { setTimeout as delay } from 'node:timers/promises';
import { DataSource } from 'typeorm';
import { afterAll, beforeAll, describe, expect, it, onTestFinished, vi } from 'vitest';
import { RecordStore } from '../../../src/engine/storage/record-store.js';
import { rendered } from '../../../src/engine/storage/statement.js';
import { ChangeStreams } from '../../../src/features/changes/change-streams.service.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import { type Home, insert, newCollection, newHome, type TestCollection } from '../../harness/collection.js';
import { schemaOf } from '../../harness/tables.js';
import { newKey, newMember } from '../orgs/org.js';
import { ask, follow, now, type Stream, typesAndValues, until } from './feed.js';

let app: TestApp;
let other: TestApp;
let home: Home;
beforeAll(async () => {
  const environment = { CHANGES_MAX_STREAMS_PER_CALLER: '3', CHANGES_STALL_SECONDS: '2' };
  app = await startOwnApp({ environment });
  other = await startOwnApp();
  const { org } = await newHome(app);
  // A key is valid on every instance; a session's token only at the address for which it was made.
  home = { org, owner: { key: (await newKey(app, org)).apiKey } };
});
afterAll(() => Promise.all([app.close(), other.close()]));

/** A member with read access to the collection. */
async function reader(collection: TestCollection) {
  const member = await newMember(app, home.org);
  const body = { principal_type: 'user', principal_id: member.userId, role: 'reader' };
  const { status } = await app.request('POST', `${collection.path}/access`, { ...home.owner, body });
  expect(status).toBe(201);
  return member;
}

const numbers = (stream: Stream) => stream.changes().map(({ record }) => record.n);

describe('a stream of changes', () => {
  it('sends each change with its position, from the requested start', async () => {
    const collection = await newCollection(app, home);
    const stream = await follow(app, collection);
    expect([stream.status, stream.headers['content-type'], stream.headers['cache-control']]).toEqual([
      200,
      'text/event-stream; charset=utf-8',
      'no-store',
    ]);
    await until(() => stream.lastId() !== undefined, 'the first position');
    const start = stream.lastId()!;
    const ids = await insert(app, collection, { n: 1 }, { n: 2 });
    await until(() => stream.changes().length === 2);
    const { body } = await ask(app, collection, { since: start });
    expect(stream.changes().map(({ eventId, ...change }) => change)).toEqual(body.changes);
    expect(stream.changes().map(({ eventId }) => eventId)).toEqual(
      body.changes.map(({ id }: { id: string }) => id),
    );
    expect(stream.changes().map(({ record_id }) => record_id)).toEqual(ids);
    expect(stream.end()).toBeUndefined();
    stream.close();
  });

  it('that waits for a long transaction does not query meanwhile, and sends everything in order afterwards', async () => {
    const collection = await newCollection(app, home);
    const streams = await Promise.all([1, 2, 3].map(() => follow(app, collection)));
    for (const stream of streams) await until(() => stream.lastId() !== undefined, 'the first position');
    const writer = app.nest.get(DataSource).createQueryRunner();
    const reads = vi.spyOn(app.nest.get(RecordStore, { strict: false }), 'readPrimary');
    onTestFinished(() => reads.mockRestore());
    try {
      await writer.startTransaction();
      await writer.query(
        `INSERT INTO ${collection.table} (_id, created_at, updated_at, x)
         VALUES (gen_random_uuid(), now(), now(), '{"n": 0}')`,
      );
      for (let n = 1; n <= 20; n++) {
        await insert(app, collection, { n });
        await delay(100);
      }
      const feeds = reads.mock.calls.filter(([, statement]) =>
        rendered(statement).text.includes('record_feeds'),
      );
      expect(feeds.length).toBeGreaterThan(0);
      // Without sharing, each stream would query five times a second.
      expect(feeds.length).toBeLessThanOrEqual(3);
      for (const stream of streams) expect(stream.changes()).toEqual([]);
      await writer.commitTransaction();
    } finally {
      await writer.release();
    }
    for (const stream of streams) {
      await until(() => stream.changes().length === 21);
      expect(numbers(stream).sort((a, b) => a - b)).toEqual(Array.from({ length: 21 }, (_, n) => n));
      stream.close();
    }
    const changes = reads.mock.calls.filter(([, statement]) =>
      rendered(statement).text.includes('kept_xid, f.kept_seq'),
    );
    // All streams share one query, or two if one of them came a moment later.
    expect(changes.length).toBeLessThanOrEqual(2);
  });

  it('costs its organization no statement while nothing changes, and learns of each change', async () => {
    const [idle, busy] = [
      await newCollection(app, await newHome(app)),
      await newCollection(app, await newHome(app)),
    ];
    const sent = vi.spyOn(app.nest.get(DataSource), 'query');
    onTestFinished(() => sent.mockRestore());
    /** How often the newest change or the settled one was asked for. */
    const asked = ({ orgId }: TestCollection) =>
      sent.mock.calls.filter(([text]) => text.includes(schemaOf(orgId)) && text.includes('c(id)')).length;
    const streams = [await follow(app, idle), await follow(app, busy)] as const;
    for (const stream of streams) await until(() => stream.lastId() !== undefined, 'the first position');
    await until(() => asked(idle) > 0, 'the first look');
    const before = asked(idle);
    for (let n = 1; n <= 3; n++) {
      await insert(app, busy, { n });
      await until(() => streams[1].changes().length === n);
    }
    expect(asked(idle)).toBe(before);
    expect(asked(busy)).toBeGreaterThan(before);
    await insert(app, idle, { n: 1 });
    await until(() => streams[0].changes().length === 1);
    for (const stream of streams) stream.close();
  });

  it('continues from its last position on any instance; Last-Event-ID takes precedence over since', async () => {
    const collection = await newCollection(app, home);
    const since = await now(app, collection);
    await insert(app, collection, { n: 1 }, { n: 2 }, { n: 3 });
    const first = await follow(app, collection, { since });
    await until(() => first.changes().length === 3);
    first.close();
    const middle = first.changes()[1]!.eventId;
    await insert(other, collection, { n: 4 });
    const second = await follow(other, collection, { since }, { lastEventId: middle });
    await until(() => second.changes().length === 2);
    await insert(app, collection, { n: 5 });
    await until(() => second.changes().length === 3);
    expect(numbers(second)).toEqual([3, 4, 5]);
    second.close();
  });

  it('skips changes that its filter excludes, and continues after them', async () => {
    const collection = await newCollection(app, home);
    const stream = await follow(app, collection, { filter: JSON.stringify({ n: { $gt: 10 } }) });
    await until(() => stream.lastId() !== undefined);
    const start = stream.lastId();
    await insert(app, collection, { n: 1 }, { n: 2 });
    await until(() => stream.lastId() !== start, 'a position without a change');
    const behind = stream.lastId()!;
    expect(stream.changes()).toEqual([]);
    await insert(app, collection, { n: 11 });
    await until(() => stream.changes().length === 1);
    stream.close();
    const { body } = await ask(app, collection, { since: behind });
    expect(typesAndValues(body.changes, 'n')).toEqual([['inserted', 11]]);
  });

  it('is refused before it starts for the same reasons as any request', async () => {
    const collection = await newCollection(app, home);
    const stranger = (await newHome(app)).owner;
    const refusals = [
      await follow(app, collection, {}, { caller: {} }),
      await follow(app, collection, {}, { caller: stranger }),
      await follow(app, collection, { since: 'made-up' }),
      await follow(app, collection, { filter: '{"$where":"1"}' }),
    ];
    expect(refusals.map(({ status }) => status)).toEqual([401, 404, 400, 400]);
  });

  it('counts toward the limit of streams per caller', async () => {
    const collection = await newCollection(app, home);
    const member = await reader(collection);
    const streams = [];
    for (let n = 0; n < 3; n++) streams.push(await follow(app, collection, {}, { caller: member }));
    expect(streams.map(({ status }) => status)).toEqual([200, 200, 200]);
    const fourth = await follow(app, collection, {}, { caller: member });
    expect([fourth.status, fourth.headers['retry-after']]).toEqual([429, '10']);
    const another = await follow(app, collection);
    expect(another.status).toBe(200);
    another.close();
    streams[0]!.close();
    await until(async () => {
      const again = await follow(app, collection, {}, { caller: member });
      again.close();
      return again.status === 200;
    }, 'the place of a stream that was closed');
    for (const stream of streams) stream.close();
  });
});

describe('a stream ends with a reason when', () => {
  const ended = async (stream: Stream) => {
    await until(() => stream.end() !== undefined, 'the end');
    await stream.ended;
    return stream.end()!.error;
  };

  it('the access binding is revoked', async () => {
    const collection = await newCollection(app, home);
    const member = await reader(collection);
    const stream = await follow(app, collection, {}, { caller: member });
    await app.request('DELETE', `${collection.path}/access/user/${member.userId}`, home.owner);
    expect(await ended(stream)).toBe('CollectionNotFound');
    await insert(app, collection, { n: 1 });
    expect(stream.changes()).toEqual([]);
  });

  it('the session ends', async () => {
    const collection = await newCollection(app, home);
    const member = await reader(collection);
    const stream = await follow(app, collection, {}, { caller: member });
    expect((await app.request('POST', '/v2/logout', { token: member.token })).status).toBe(204);
    expect(await ended(stream)).toBe('Unauthorized');
  });

  it('the key is deleted', async () => {
    const collection = await newCollection(app, home);
    const { id, apiKey } = await newKey(app, home.org);
    const stream = await follow(other, collection, {}, { caller: { key: apiKey } });
    await app.request('DELETE', `${home.org.path}/api-keys/${id}`, home.owner);
    expect(await ended(stream)).toBe('Unauthorized');
  });

  it('the member leaves the organization', async () => {
    const collection = await newCollection(app, home);
    const member = await reader(collection);
    const stream = await follow(app, collection, {}, { caller: member });
    await app.request('DELETE', `${home.org.path}/members/${member.userId}`, home.owner);
    expect(['CollectionNotFound', 'OrganizationMembershipRequired']).toContain(await ended(stream));
  });

  it('the collection or the organization is deleted', async () => {
    const collection = await newCollection(app, home);
    const stream = await follow(app, collection);
    await app.request('DELETE', collection.path, home.owner);
    expect(await ended(stream)).toBe('CollectionNotFound');
    const doomed = await newHome(app);
    const last = await follow(app, await newCollection(app, doomed));
    expect((await app.request('DELETE', doomed.org.path, doomed.owner)).status).toBe(200);
    expect(['CollectionNotFound', 'OrganizationMembershipRequired']).toContain(await ended(last));
  });
});

describe('a stream', () => {
  it('whose client does not read is cut off, and others are not delayed', async () => {
    const collection = await newCollection(app, home);
    const [slow, quick] = [await follow(app, collection), await follow(app, collection)];
    slow.answer.pause();
    const text = 'x'.repeat(200_000);
    for (let from = 0; from < 120; from += 20) {
      const records = Array.from({ length: 20 }, (_, n) => ({ n: from + n, text }));
      await insert(app, collection, ...records);
    }
    await until(() => quick.text().match(/^event: change$/gm)?.length === 120);
    // A client that does not read does not see the end of the stream either.
    await until(() => app.nest.get(ChangeStreams, { strict: false }).count === 1, 'the cut');
    slow.answer.resume();
    await slow.ended;
    expect(slow.end()).toBeUndefined();
    expect(slow.changes().length).toBeLessThan(120);
    expect(numbers(quick)).toEqual(Array.from({ length: 120 }, (_, n) => n));
    quick.close();
  });

  it('whose instance stops ends, and can continue on another instance', async () => {
    const collection = await newCollection(app, home);
    const short = await startOwnApp();
    const stream = await follow(short, collection);
    await insert(app, collection, { n: 1 });
    await until(() => stream.changes().length === 1);
    await Promise.all([short.close(), stream.ended]);
    expect(stream.end()).toBeUndefined();
    await insert(app, collection, { n: 2 });
    const again = await follow(app, collection, {}, { lastEventId: stream.lastId()! });
    await until(() => again.changes().length === 1);
    expect(numbers(again)).toEqual([2]);
    again.close();
  });
});
