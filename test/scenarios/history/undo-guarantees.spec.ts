import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import { VersionPruning } from '../../../src/features/history/version-pruning.service.js';
import { RecordExpiry } from '../../../src/features/records/expiry.service.js';
import { startOwnApp, type TestApp } from '../../harness/app.js';
import {
  eventsOf,
  expire,
  type Home,
  insert,
  newHome,
  outcome,
  read,
  written,
} from '../../harness/collection.js';
import { onCitus } from '../../harness/on-citus.js';
import { schemaOf } from '../../harness/tables.js';
import { startTwoInstances } from '../../harness/two-instances.js';
import { now, pulled, typesAndValues, until } from '../changes/feed.js';
import { importFile, NDJSON } from '../transfer/transfer.js';
import { startReceiver } from '../webhooks/receiver.js';
import { newestEvent, newThings, setFields, state, undo, undone, writing } from './undo.js';

let app: TestApp;
let second: TestApp;
let home: Home;
beforeAll(async () => {
  ({ app, second, home } = await startTwoInstances());
});
afterAll(() => second.close());

describe('an undo', () => {
  it('counts reinserted records for max_records: 422 CollectionFull for all of them', async () => {
    const things = await newThings(app, home, { settings: { max_records: 2 } });
    const ids = await insert(app, things, { n: 1 }, { n: 2 });
    const event = await writing(app, things, 'POST', '/data/batch', {
      operations: ids.map(_id => ({ delete: { _id } })),
    });
    const [extra] = (await insert(app, things, { n: 3 })) as [string];
    const before = [await state(app, things), await written(app, things)];
    for (const dry_run of [true, false])
      expect(outcome(await undo(app, things, { event_ids: [event], dry_run }))).toEqual([
        422,
        'CollectionFull',
      ]);
    expect([await state(app, things), await written(app, things)]).toEqual(before);
    await writing(app, things, 'DELETE', `/data/${extra}`);
    await undone(app, things, { event_ids: [event] });
    expect(Object.keys(await state(app, things)).sort()).toEqual(ids.toSorted());
    const full = await app.request('POST', things.data, { ...home.owner, body: { records: { n: 4 } } });
    expect(outcome(full)).toEqual([422, 'CollectionFull']);
  });

  it('gives the capacity of deleted records back', async () => {
    const things = await newThings(app, home, { settings: { max_records: 2 } });
    await insert(app, things, { n: 1 }, { n: 2 });
    await undone(app, things, { event_ids: [await newestEvent(app, things)] });
    expect(await insert(app, things, { n: 3 }, { n: 4 })).toHaveLength(2);
  });

  it.skipIf(onCitus.refusesFeeds)(
    'is seen by followers of the changes and by webhooks, without temporary values',
    async () => {
      const environment = { OUTBOUND_ALLOW_INSECURE_HOSTS: '127.0.0.1' };
      const lone = await startOwnApp({ environment });
      const owned = await newHome(lone);
      const things = await newThings(lone, owned, { uniques: [{ properties: ['key'] }] });
      const [a, b, c] = (await insert(lone, things, { key: 'a' }, { key: 'b' }, { key: 'c' })) as [
        string,
        string,
        string,
      ];
      const event = await writing(lone, things, 'POST', '/data/batch', {
        operations: [
          { update: { _id: a, update: { key: 'b' } } },
          { update: { _id: b, update: { key: 'a' } } },
          { delete: { _id: c } },
          { insert: { key: 'd' } },
        ],
      });
      const receiver = await startReceiver();
      try {
        const hook = await lone.request('POST', `${things.path}/webhooks`, {
          ...owned.owner,
          body: { url: receiver.url },
        });
        expect(hook.status).toBe(201);
        const since = await now(lone, things);
        await undone(lone, things, { event_ids: [event] });
        const changes = typesAndValues(await pulled(lone, things, since), 'key').sort();
        expect(changes).toEqual([
          ['deleted', 'd'],
          ['inserted', 'c'],
          ['updated', 'a'],
          ['updated', 'b'],
        ]);
        const arrived = () => receiver.arrived.flatMap(each => each.changes);
        await until(() => arrived().length === 4, 'four changes');
        expect(typesAndValues(arrived(), 'key').sort()).toEqual(changes);
      } finally {
        await receiver.close();
        await lone.close();
      }
    },
  );

  it('with an Idempotency-Key is done once, and repeated answers are the same', async () => {
    const things = await newThings(app, home);
    const [id] = (await insert(app, things, { n: 1 })) as [string];
    const event = await setFields(app, things, id, { n: 2 });
    const headers = { 'idempotency-key': crypto.randomUUID() };
    const answers = await Promise.all(
      [app, second, app].map(each => undo(each, things, { event_ids: [event] }, home.owner, { headers })),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200]);
    expect(new Set(answers.map(({ text }) => text)).size).toBe(1);
    expect(answers[0]?.body.undone).toBe(1);
    const other = await undo(app, things, { event_ids: [event], dry_run: true }, home.owner, { headers });
    expect(outcome(other)).toEqual([422, 'IdempotencyKeyReused']);
  });

  it('of the same writes on two instances at once is done once', async () => {
    const things = await newThings(app, home);
    const ids = await insert(app, things, ...Array.from({ length: 40 }, (_, n) => ({ n, key: `k${n}` })));
    const before = await state(app, things);
    const event = await writing(app, things, 'POST', '/data/batch', {
      operations: ids.map((_id, n) => (n % 2 ? { delete: { _id } } : { update: { _id, update: { n: -1 } } })),
    });
    const answers = await Promise.all(
      Array.from({ length: 6 }, (_, n) => undone(n % 2 ? app : second, things, { event_ids: [event] })),
    );
    expect(answers.map(({ undone: count }) => count).sort((a, b) => a - b)).toEqual([0, 0, 0, 0, 0, 40]);
    expect(await state(app, things)).toEqual(before);
  });

  it('beside other writes loses none of them', async () => {
    const things = await newThings(app, home);
    const ids = await insert(app, things, ...Array.from({ length: 10 }, () => ({ n: 0, m: 0 })));
    for (let round = 0; round < 5; round++) {
      const event = await writing(app, things, 'PATCH', '/data', {
        filter: {},
        allow_match_all: true,
        update: { $set: { key: `r${round}` } },
      });
      const others = ids.map((id, n) =>
        (n % 2 ? app : second).request('PATCH', `${things.data}/${id}`, {
          ...home.owner,
          body: { $inc: { m: 1 } },
        }),
      );
      const [answer] = await Promise.all([
        undone(second, things, { event_ids: [event], on_conflict: 'skip' }),
        ...others,
      ]);
      expect(answer.undone + answer.skipped).toBe(10);
      const skipped = new Set(answer.conflicts.map((each: { record_id: string }) => each.record_id));
      for (const id of ids) {
        const record = await read(app, things, id);
        expect(record.m).toBe(round + 1);
        if (skipped.has(id)) expect(record.key).toBe(`r${round}`);
      }
    }
  });

  it('leaves expired records alone, and keeps the expiry of those that it puts back', async () => {
    const things = await newThings(app, home, { settings: { ttl_days: 1 } });
    const ids = (await insert(app, things, { n: 1 }, { n: 2 }, { n: 3 })) as [string, string, string];
    const updated = await setFields(app, things, ids[0], { n: 10 });
    const deleted = await writing(app, things, 'DELETE', `/data/${ids[1]}`);
    const gone = await setFields(app, things, ids[2], { n: 30 });
    await expire(app, things, ids[2]);
    const answer = await undone(app, things, { event_ids: [updated, deleted, gone] });
    expect(answer).toMatchObject({ undone: 2, skipped: 0, conflicts: [] });
    const rows = await app.sql(
      `SELECT count(*)::int AS n FROM ${things.table} WHERE expires_at > now() + interval '1 hour'`,
    );
    expect(rows[0].n).toBe(2);
    await app.nest.get(RecordExpiry).removeAll(new AbortController().signal);
    expect(await undone(app, things, { event_ids: [gone] })).toMatchObject({ undone: 0, conflicts: [] });
    expect(Object.keys(await state(app, things)).sort()).toEqual([ids[0], ids[1]].sort());
  });

  it('of more than 100,000 records is refused: 400, and nothing is written', async () => {
    const things = await newThings(app, home);
    const schema = schemaOf(things.orgId);
    // As two events that inserted 60,000 records each, which are gone.
    const found: { id: string }[] = await app.sql(
      `INSERT INTO ${schema}.audit_events (id, type, actor, target, count)
       SELECT gen_random_uuid(), 'collections.records.inserted', '{"type":"user","id":"x"}', jsonb_build_object('id', $1::text), 60000
       FROM generate_series(1, 2) RETURNING id`,
      [things.id],
    );
    for (const { id } of found)
      await app.sql(
        `INSERT INTO ${schema}.inserted_ids (collection_id, event_id, record_ids)
         SELECT $1, $2, array_agg(gen_random_uuid()) FROM generate_series(1, 60000)`,
        [things.id, id],
      );
    const before = await written(app, things);
    const body = { event_ids: found.map(({ id }) => id) };
    expect(outcome(await undo(app, things, body))).toEqual([400, 'InvalidArguments']);
    expect(await written(app, things)).toEqual(before);
    expect(await undone(app, things, { event_ids: body.event_ids.slice(1) })).toMatchObject({ undone: 0 });
  });

  it('of an import of 20,000 records takes one event, and the ids are removed with the history', async () => {
    const things = await newThings(app, home, { settings: { max_records: 30_000 } });
    const rows = Array.from({ length: 20_000 }, (_, n) => JSON.stringify({ n }));
    const { last } = await importFile(app, things, rows.join('\n'), { type: NDJSON });
    expect(last).toMatchObject({ inserted: 20_000 });
    const event = await newestEvent(app, things);
    expect(await undone(app, things, { event_ids: [event] })).toMatchObject({ undone: 20_000 });
    expect(await written(app, things)).toEqual([0, 3]);
    const [, , logged] = await eventsOf(app, things);
    expect([logged?.count, logged?.record_ids?.length]).toEqual([20_000, 1_000]);

    const table = `${schemaOf(things.orgId)}.inserted_ids WHERE collection_id = '${things.id}'`;
    const kept = async () => (await app.sql(`SELECT count(*)::int AS n FROM ${table}`))[0].n;
    const prune = () => app.nest.get(VersionPruning).removeOld(new AbortController().signal);
    await prune();
    expect(await kept()).toBe(1);
    await app.sql(`UPDATE ${table.replace(' WHERE', " SET inserted_at = now() - interval '8 days' WHERE")}`);
    await prune();
    expect(await kept()).toBe(0);
  });
});
