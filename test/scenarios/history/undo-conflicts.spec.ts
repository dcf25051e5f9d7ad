import pg from 'pg';
import { beforeAll, describe, expect, it, vi } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import {
  type Home,
  insert,
  newCollection,
  newHome,
  outcome,
  read,
  written,
} from '../../harness/collection.js';
import { schemaOf } from '../../harness/tables.js';
import { guest } from '../sharing/sharing.js';
import { newThings, setFields, state, undo, undone, writing } from './undo.js';

let app: TestApp;
let home: Home;
beforeAll(async () => {
  app = await startApp();
  home = await newHome(app);
});

interface UndoConflict {
  readonly record_id: string;
  readonly reason: string;
}

/** Three records that one update changed. The first was changed again since, the second was deleted since. */
async function writtenSince() {
  const things = await newThings(app, home);
  const ids = (await insert(app, things, { n: 1 }, { n: 2 }, { n: 3 })) as [string, string, string];
  const before = await state(app, things);
  const event = await writing(app, things, 'PATCH', '/data', {
    filter: {},
    allow_match_all: true,
    update: { $inc: { n: 10 } },
  });
  const changed = await setFields(app, things, ids[0], { n: 100 });
  const deleted = await writing(app, things, 'DELETE', `/data/${ids[1]}`);
  const conflicts = [
    { record_id: ids[0], reason: 'changed_since', event_id: changed },
    { record_id: ids[1], reason: 'deleted_since', event_id: deleted },
  ].sort((a, b) => (a.record_id < b.record_id ? -1 : 1));
  return { things, ids, before, event, changed, deleted, conflicts };
}

describe('records that were written since', () => {
  it('stop an undo: 409 with all conflicts, and nothing is written', async () => {
    const { things, event, conflicts } = await writtenSince();
    const before = [await state(app, things), await written(app, things)];
    for (const body of [{ event_ids: [event] }, { event_ids: [event], on_conflict: 'stop' }]) {
      const refused = await undo(app, things, body);
      expect(outcome(refused)).toEqual([409, 'UndoConflict']);
      expect(refused.body.details).toEqual(conflicts);
      const dry = await undone(app, things, { ...body, dry_run: true });
      expect(dry).toEqual({ undone: 0, skipped: 0, conflicts, event_id: null });
    }
    expect([await state(app, things), await written(app, things)]).toEqual(before);
  });

  it('are left as they are with skip', async () => {
    const { things, ids, event, conflicts } = await writtenSince();
    const body = { event_ids: [event], on_conflict: 'skip' };
    const would = await undone(app, things, { ...body, dry_run: true });
    expect(would).toEqual({ undone: 1, skipped: 2, conflicts, event_id: null });
    const did = await undone(app, things, body);
    expect(did).toEqual({ ...would, event_id: expect.any(String) });
    expect(Object.values(await state(app, things)).map(record => (record as { n: number }).n)).toEqual([
      100, 3,
    ]);
    expect(await read(app, things, ids[1])).toBeUndefined();
  });

  it('lose the later writes with force, deleted ones come back, and the undo of that brings the later writes back', async () => {
    const { things, before, event, conflicts } = await writtenSince();
    const later = await state(app, things);
    const body = { event_ids: [event], on_conflict: 'force' };
    const would = await undone(app, things, { ...body, dry_run: true });
    expect(would).toEqual({ undone: 3, skipped: 0, conflicts, event_id: null });
    const { event_id } = await undone(app, things, body);
    expect(await state(app, things)).toEqual(before);
    await undone(app, things, { event_ids: [event_id] });
    expect(await state(app, things)).toEqual(later);
  });

  it('are no conflict when the later writes are undone too, now or before', async () => {
    const { things, before, event, changed, deleted } = await writtenSince();
    await undone(app, things, { event_ids: [changed] });
    await undone(app, things, { event_ids: [event, deleted] });
    expect(await state(app, things)).toEqual(before);
  });

  it('are a conflict whoever wrote, and although they read as before', async () => {
    const things = await newThings(app, home);
    const [id] = (await insert(app, things, { n: 1 })) as [string];
    const event = await setFields(app, things, id, { n: 2 });
    const since = await setFields(app, things, id, { n: 1 });
    expect((await undo(app, things, { event_ids: [event] })).body.details).toEqual([
      { record_id: id, reason: 'changed_since', event_id: since },
    ]);
  });

  it('that an undo changed are a conflict for writes before it that it did not undo', async () => {
    const things = await newThings(app, home);
    const [id] = (await insert(app, things, { n: 1 })) as [string];
    const first = await setFields(app, things, id, { n: 2 });
    const second = await setFields(app, things, id, { n: 3 });
    const { event_id } = await undone(app, things, { event_ids: [first], on_conflict: 'force' });
    const third = await setFields(app, things, id, { n: 4 });
    for (const event of [first, second])
      expect(await undone(app, things, { event_ids: [event] })).toMatchObject({ undone: 0, conflicts: [] });
    expect((await undo(app, things, { event_ids: [event_id] })).body.details).toEqual([
      { record_id: id, reason: 'changed_since', event_id: third },
    ]);
  });

  it('are deleted with force when they were inserted by what is undone', async () => {
    const things = await newThings(app, home);
    const event = await writing(app, things, 'POST', '/data', { records: [{ n: 1 }, { n: 2 }] });
    const [id, other] = Object.keys(await state(app, things)) as [string, string];
    const since = await setFields(app, things, id, { n: 5 });
    const deleted = await writing(app, things, 'DELETE', `/data/${other}`);
    const stopped = await undo(app, things, { event_ids: [event] });
    expect(stopped.body.details).toEqual([
      { record_id: id, reason: 'changed_since', event_id: since },
      { record_id: other, reason: 'deleted_since', event_id: deleted },
    ]);
    const { undone: count, event_id } = await undone(app, things, {
      event_ids: [event],
      on_conflict: 'force',
    });
    expect([count, await state(app, things)]).toEqual([1, {}]);
    await undone(app, things, { event_ids: [event_id] });
    expect(await read(app, things, id)).toMatchObject({ n: 5 });
  });
});

describe('unique values', () => {
  const unique = { uniques: [{ properties: ['key'] }] };

  it('that another record has now are a conflict, which force does not change', async () => {
    const things = await newThings(app, home, unique);
    const [id, other] = (await insert(app, things, { key: 'a' }, { key: 'b', n: 1 })) as [string, string];
    const event = await writing(app, things, 'POST', '/data/batch', {
      operations: [
        { update: { _id: id, update: { key: 'c' } } },
        { update: { _id: other, update: { n: 2 } } },
      ],
    });
    await insert(app, things, { key: 'a' });
    const conflicts = [{ record_id: id, reason: 'unique', event_id: null }];
    for (const on_conflict of ['stop', 'force']) {
      const refused = await undo(app, things, { event_ids: [event], on_conflict });
      expect([outcome(refused), refused.body.details]).toEqual([[409, 'UndoConflict'], conflicts]);
    }
    expect(await undone(app, things, { event_ids: [event], on_conflict: 'skip' })).toMatchObject({
      undone: 1,
      skipped: 1,
      conflicts,
    });
    expect([(await read(app, things, id)).key, (await read(app, things, other)).n]).toEqual(['c', 1]);
  });

  it('of a deleted record that another one has now are a conflict', async () => {
    const things = await newThings(app, home, unique);
    const [id] = (await insert(app, things, { key: 'a' })) as [string];
    const event = await writing(app, things, 'DELETE', `/data/${id}`);
    await insert(app, things, { key: 'a' });
    expect((await undo(app, things, { event_ids: [event] })).body.details).toEqual([
      { record_id: id, reason: 'unique', event_id: null },
    ]);
  });

  it('that a skipped record keeps are a conflict for the record that would get them', async () => {
    const things = await newThings(app, home, unique);
    const [a, b] = (await insert(app, things, { key: 'x' }, { key: 'y' })) as [string, string];
    const event = await writing(app, things, 'POST', '/data/batch', {
      operations: [
        { update: { _id: a, update: { key: 'z' } } },
        { update: { _id: b, update: { key: 'x' } } },
      ],
    });
    await setFields(app, things, b, { n: 1 });
    const answer = await undone(app, things, { event_ids: [event], on_conflict: 'skip' });
    expect([answer.undone, answer.skipped]).toEqual([0, 2]);
    const reasons = answer.conflicts.map((each: UndoConflict) => [each.record_id, each.reason]);
    expect(Object.fromEntries(reasons)).toEqual({ [a]: 'unique', [b]: 'changed_since' });
  });

  it('that a chain of records passes on are conflicts of all of them, found by a fixed number of statements', async () => {
    const statementsFor = async (records: number) => {
      const things = await newThings(app, home, { uniques: [{ properties: ['n'] }] });
      // The gap after the first two ends the chain.
      const values = [-9, -8, ...Array.from({ length: records }, (_, n) => n + 1)];
      const ids = await insert(app, things, ...values.map(n => ({ n })));
      const event = await writing(app, things, 'POST', '/data/batch', {
        operations: ids.map((_id, at) => ({ update: { _id, update: { n: values[at]! - 1 } } })),
      });
      await insert(app, things, { n: records });
      const expected = { undone: 2, skipped: records, event_id: null };
      const query = vi.spyOn(pg.Client.prototype, 'query');
      const body = { event_ids: [event], on_conflict: 'skip', dry_run: true };
      const would = await undone(app, things, body);
      const texts = query.mock.calls.map(([given]: unknown[]) => JSON.stringify(given) ?? '');
      query.mockRestore();
      expect(would).toMatchObject(expected);
      const conflicts = ids
        .slice(2)
        .sort()
        .map(record_id => ({ record_id, reason: 'unique', event_id: null }));
      expect(would.conflicts).toEqual(conflicts);
      const stopped = await undone(app, things, { event_ids: [event], dry_run: true });
      expect(stopped).toEqual({ undone: 0, skipped: 0, conflicts, event_id: null });
      expect(await undone(app, things, { ...body, dry_run: false })).toMatchObject({
        undone: 2,
        skipped: records,
        conflicts,
      });
      // On Citus, such statements are values of run_on_node.
      return texts.filter(text => /put_back|run_on_node/.test(text)).length;
    };
    const few = await statementsFor(3);
    expect(few).toBeGreaterThan(0);
    expect(await statementsFor(300)).toBe(few);
  });

  it.each([
    ['that may be null', { key: { type: 'text' } }],
    ['that may not be null', { key: { type: 'text', nullable: false } }],
    ['of numbers', { key: { type: 'integer', nullable: false } }],
  ])(
    '%s that records exchanged are exchanged back, without a trace of temporary values',
    async (_, columns) => {
      const things = await newCollection(app, home, { properties: columns, ...unique });
      const isText = columns.key.type === 'text';
      const keys = Array.from({ length: 20 }, (_each, n) => (isText ? `k${n}` : n));
      const ids = await insert(app, things, ...keys.map(key => ({ key })));
      const before = await state(app, things);
      const event = await writing(app, things, 'POST', '/data/batch', {
        operations: ids.map((_id, n) => ({ update: { _id, update: { key: keys[(n + 1) % 20] } } })),
      });
      const after = await state(app, things);
      const { event_id } = await undone(app, things, { event_ids: [event] });
      expect(await state(app, things)).toEqual(before);
      const { body } = await app.request('GET', `${things.data}/${ids[0]}/history`, home.owner);
      expect(body.items.map(({ record }: { record: { key: unknown } }) => record.key)).toEqual([
        keys[0],
        keys[1],
        keys[0],
      ]);
      await undone(app, things, { event_ids: [event_id] });
      expect(await state(app, things)).toEqual(after);
    },
  );
});

describe('who may undo', () => {
  it('an editor undoes own writes only, by each way to name them; an admin all; a reader none', async () => {
    const things = await newThings(app, home);
    const [editor, admin, reader] = await Promise.all(
      ['editor', 'admin', 'reader'].map(role => guest(app, home.org, things, role)),
    );
    const caller = { token: editor!.token };
    const [id] = (await insert(app, things, { n: 1 })) as [string];
    const since = new Date().toISOString();
    const own = await writing(app, things, 'PATCH', `/data/${id}`, { $set: { n: 2 } }, caller);
    const others = await writing(app, things, 'PATCH', `/data/${id}`, { $set: { n: 3 } });
    const correlation = await app.sql(
      `SELECT correlation_id AS id FROM ${schemaOf(home.org.id)}.audit_events WHERE id = $1`,
      [others],
    );
    const actor = { type: 'user', id: home.org.owner.userId };
    for (const body of [
      { event_ids: [others] },
      { event_ids: [own, others] },
      { correlation_id: correlation[0].id },
      { actor, since },
    ])
      for (const dry_run of [true, false])
        expect(outcome(await undo(app, things, { ...body, dry_run }, caller))).toEqual([403, 'Forbidden']);
    expect((await read(app, things, id)).n).toBe(3);
    const asReader = await undo(app, things, { event_ids: [own] }, { token: reader!.token });
    expect(outcome(asReader)).toEqual([403, 'Forbidden']);
    const stranger = await newHome(app);
    expect(outcome(await undo(app, things, { event_ids: [own] }, stranger.owner))).toEqual([
      404,
      'CollectionNotFound',
    ]);

    await undone(app, things, { event_ids: [others] }, { token: admin!.token });
    expect((await read(app, things, id)).n).toBe(2);
    await undone(app, things, { actor: { type: 'user', id: editor!.userId }, since }, caller);
    expect((await read(app, things, id)).n).toBe(1);
  });
});

describe('refusals', () => {
  it('of requests that do not name writes in exactly one way: 400', async () => {
    const things = await newThings(app, home);
    const [id] = (await insert(app, things, { n: 1 })) as [string];
    const event = await setFields(app, things, id, { n: 2 });
    const actor = { type: 'user', id: home.org.owner.userId };
    const since = '2026-01-01T00:00:00Z';
    for (const body of [
      {},
      { event_ids: [] },
      { event_ids: Array(101).fill(event) },
      { event_ids: ['x'] },
      { event_ids: [event], correlation_id: 'x' },
      { event_ids: [event], since },
      { actor },
      { actor: { type: 'person', id: 'x' }, since },
      { actor, since: 'yesterday' },
      { event_ids: [event], on_conflict: 'ask' },
      { correlation_id: 'unknown' },
      { event_ids: ['0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e04'] },
      { event_ids: [event, '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e04'] },
    ])
      expect([body, ...outcome(await undo(app, things, body))]).toEqual([body, 400, 'InvalidArguments']);
    expect((await read(app, things, id)).n).toBe(2);
  });

  it('of events of another collection and of events without records: 400', async () => {
    const [things, others] = [await newThings(app, home), await newThings(app, home)];
    const [id] = (await insert(app, others, { n: 1 })) as [string];
    const other = await setFields(app, others, id, { n: 2 });
    const changed = await writing(app, things, 'PATCH', '', { settings: { max_records: 5 } });
    for (const event of [other, changed])
      expect(outcome(await undo(app, things, { event_ids: [event] }))).toEqual([400, 'InvalidArguments']);
  });

  it('of events that are no longer kept: 400 HistoryUnavailable with the earliest instant', async () => {
    const things = await newThings(app, home);
    const [id] = (await insert(app, things, { n: 1 })) as [string];
    const event = await setFields(app, things, id, { n: 2 });
    await app.sql(
      "UPDATE collections SET history_since = now() + interval '1 s', version = version + 1 WHERE id = $1",
      [things.id],
    );
    const refused = await undo(app, things, { event_ids: [event] });
    expect(outcome(refused)).toEqual([400, 'HistoryUnavailable']);
    expect(refused.body.details).toEqual({ earliest: expect.any(String) });
    await writing(app, things, 'PATCH', '', { settings: { history_days: 0 } });
    expect(outcome(await undo(app, things, { event_ids: [event] }))).toEqual([400, 'HistoryUnavailable']);
  });

  it('of values that no longer fit their column: 422 with the records, and nothing is written', async () => {
    const things = await newThings(app, home);
    const [id] = (await insert(app, things, { key: 'x', n: 1 })) as [string];
    const event = await setFields(app, things, id, { key: '7', n: 2 });
    const change = { properties: { key: { type: 'integer' }, n: { type: 'integer' } } };
    const changed = await app.request('PATCH', `${things.path}/schema`, { ...home.owner, body: change });
    expect([changed.status, changed.text]).toEqual([200, changed.text]);
    const refused = await undo(app, things, { event_ids: [event] });
    expect(outcome(refused)).toEqual([422, 'ConstraintViolation']);
    expect(refused.body.details).toEqual([{ record_id: id, column: 'key' }]);
    expect(await read(app, things, id)).toMatchObject({ key: 7, n: 2 });
  });
});
