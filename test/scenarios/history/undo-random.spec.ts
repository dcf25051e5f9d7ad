import { beforeAll, describe, expect, it } from 'vitest';
import { startApp, type TestApp } from '../../harness/app.js';
import { type Caller, type Home, newHome, type TestCollection } from '../../harness/collection.js';
import { Dice, TIMES } from '../../harness/dice.js';
import { newKey } from '../orgs/org.js';
import { newestEvent, newThings, state, undo, undone } from './undo.js';

/** `npm run test:long` has ten seeds, other runs two. */
const seedsFrom = (first: number) => Array.from({ length: 2 * TIMES }, (_, n) => first + n);

/** A random write; undefined when the service refused it, or nothing had to be written. */
async function anyWrite(
  app: TestApp,
  dice: Dice,
  things: TestCollection,
  caller: Caller,
): Promise<string | undefined> {
  const ids = Object.keys(await state(app, things));
  const before = await newestEvent(app, things);
  const fields = () => ({
    key: dice.of(['a', 'b', 'c', 'd', null]),
    n: dice.below(4),
    [dice.of(['x', 'y'])]: dice.below(3),
  });
  const send = (method: string, below: string, body?: object) =>
    app.request(method, `${things.data}${below}`, { ...caller, ...(body && { body }) });
  const kind = ids.length === 0 ? 0 : dice.below(6);
  if (kind === 0) await send('POST', '', { records: [fields(), { n: dice.below(4) }] });
  if (kind === 1) await send('PATCH', `/${dice.of(ids)}`, { $set: fields() });
  if (kind === 2) await send('PATCH', `/${dice.of(ids)}`, { $inc: { n: 1 }, $unset: { x: 1 } });
  if (kind === 3) await send('DELETE', `/${dice.of(ids)}`);
  if (kind === 4)
    await send('PATCH', '', {
      filter: { n: { $gte: dice.below(4) } },
      update: { $set: { y: dice.below(9) } },
    });
  if (kind === 5) {
    const [first, ...others] = dice.some(ids, 4);
    const operations = [
      dice.below(2) ? { delete: { _id: first } } : { update: { _id: first, update: fields() } },
      ...others.map(_id => ({ update: { _id, update: fields() } })),
      ...(dice.below(2) ? [{ insert: fields() }] : []),
    ];
    await send('POST', '/batch', { operations });
  }
  const event = await newestEvent(app, things);
  return event === before ? undefined : event;
}

describe('random writes and undos', () => {
  let app: TestApp;
  let home: Home;
  let other: Caller & { id: string };
  beforeAll(async () => {
    app = await startApp();
    home = await newHome(app);
    const { apiKey, id } = await newKey(app, home.org);
    other = { key: apiKey, id };
  });

  it.each(seedsFrom(1))('an undo and its undo change nothing (seed %i)', async seed => {
    const dice = new Dice(seed);
    const things = await newThings(app, home, { uniques: [{ properties: ['key'] }] });
    const events: string[] = [];
    let proven = 0;
    for (let step = 0; step < 60; step++) {
      const event = await anyWrite(app, dice, things, dice.of([home.owner, other]));
      if (event !== undefined) events.push(event);
      if (events.length < 4 || dice.below(3) > 0) continue;
      const before = await state(app, things);
      const body = {
        event_ids: dice.some(events, 5),
        on_conflict: dice.of(['stop', 'skip', 'skip', 'force']),
      };
      const would = await undo(app, things, { ...body, dry_run: true });
      expect(await state(app, things)).toEqual(before);
      const answer = await undo(app, things, body);
      if (answer.status === 409) {
        expect(answer.body.details).toEqual(would.body.conflicts);
        expect(await state(app, things)).toEqual(before);
        continue;
      }
      expect([answer.status, answer.text]).toEqual([200, answer.text]);
      const { event_id, ...did } = answer.body;
      expect(would.body).toEqual({ ...did, event_id: null });
      if (event_id === null) continue;
      const after = await state(app, things);
      const back = await undone(app, things, { event_ids: [event_id] });
      expect(await state(app, things)).toEqual(before);
      proven += 1;
      if (dice.below(2) === 0) continue;
      await undone(app, things, { event_ids: [back.event_id] });
      expect(await state(app, things)).toEqual(after);
      events.push(event_id, back.event_id);
    }
    expect(proven).toBeGreaterThan(0);
  });

  it.each(seedsFrom(11))(
    'undoing all writes of one caller leaves those of the others (seed %i)',
    async seed => {
      const dice = new Dice(seed);
      const things = await newThings(app, home);
      const since = new Date(Date.now() - 60_000).toISOString();
      /** The writes to each record: who wrote, and what the record was before. */
      const writes = new Map<string, { isOther: boolean; before: unknown }[]>();
      for (let step = 0; step < 40; step++) {
        const isOther = dice.below(3) === 0;
        const before = await state(app, things);
        await anyWrite(app, dice, things, isOther ? other : home.owner);
        const after = await state(app, things);
        for (const id of new Set([...Object.keys(before), ...Object.keys(after)]))
          if (JSON.stringify(before[id]) !== JSON.stringify(after[id]))
            writes.set(id, [...(writes.get(id) ?? []), { isOther, before: before[id] }]);
      }
      const expected = await state(app, things);
      let conflicts = 0;
      for (const [id, list] of writes) {
        const first = list.findIndex(({ isOther }) => isOther);
        if (first === -1) continue;
        if (list.slice(first).some(({ isOther }) => !isOther)) conflicts += 1;
        else if (list[first]?.before === undefined) delete expected[id];
        else expected[id] = list[first]?.before;
      }
      const body = { actor: { type: 'key', id: other.id }, since, on_conflict: 'skip' };
      const answer = await undone(app, things, body);
      expect(answer.conflicts).toHaveLength(answer.skipped);
      expect(await state(app, things)).toEqual(expected);
      expect(answer.skipped).toBe(conflicts);
      expect((await undone(app, things, body)).undone).toBe(0);
    },
  );
});
