import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { AnsweredWrites } from '../../../test/harness/answered-writes.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { Stale } from '../../engine/storage/stale.js';
import { rendered, type Statement } from '../../engine/storage/statement.js';
import type { Collection } from '../collections/collection.entity.js';

let writes: AnsweredWrites;
beforeEach(() => {
  writes = new AnsweredWrites();
});
afterEach(() => {
  vi.useRealTimers();
});

const notAdmitted = new PlatformError('Unavailable', 'Nothing was written.');
const stale = new Stale();
const refused = Object.assign(new Error('duplicate key'), { code: '23505' });

describe('inserts of one collection', () => {
  it('are sent at the end of the turn, those of one turn together', async () => {
    writes.insert(['a', 'b']);
    expect(writes.asked()).toEqual([]);
    await turn();
    writes.insert(['c', 'd']);
    await turn();
    expect(writes.asked()).toEqual([
      ['a', 'b'],
      ['c', 'd'],
    ]);
  });

  it('wait while a statement with more inserts runs, until it ends or as many wait', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
    writes.insert(['a', 'b', 'c']);
    await turn();
    writes.insert(['d', 'e']);
    await turn();
    expect(writes.asked()).toEqual([['a', 'b', 'c']]);
    writes.insert(['f']);
    await turn();
    expect(writes.asked()).toEqual([
      ['a', 'b', 'c'],
      ['d', 'e', 'f'],
    ]);
    writes.insert(['g']);
    await writes.answer(0);
    expect(writes.asked()).toHaveLength(2);
    await writes.answer(1);
    expect(writes.asked()[2]).toEqual(['g']);
  });

  it('are sent before the end of the turn when there are sixteen, unless they have to wait for statements', async () => {
    writes.insert(Array.from({ length: 40 }, (_, n) => `n${n}`));
    expect(writes.asked().map(ids => ids.length)).toEqual([16, 16]);
    await writes.answer(0);
    await writes.answer(1);
    expect(writes.asked().map(ids => ids.length)).toEqual([16, 16, 8]);
  });

  it('of a turn that ends while two statements are running do not wait for stuck ones', async () => {
    vi.useFakeTimers();
    writes.insert(Array.from({ length: 33 }, (_, n) => `n${n}`));
    await vi.advanceTimersByTimeAsync(50);
    expect(writes.asked().map(ids => ids.length)).toEqual([16, 16, 1]);
  });

  it('are sent with the next statement when more are running, each with its event', async () => {
    const outcomes = [...(await writes.busy()), ...writes.insert(['c', 'd', 'e'])];
    expect(writes.asked()).toEqual([['a'], ['b']]);
    await writes.answer(0);
    expect(writes.asked()).toEqual([['a'], ['b'], ['c', 'd', 'e']]);
    const [, statement] = writes.write.mock.calls[2] as [Collection, Statement];
    const events = rendered(statement).values.find(
      value => typeof value === 'string' && value.includes('collections.records.inserted'),
    );
    expect(JSON.parse(events as string)).toEqual(
      ['c', 'd', 'e'].map(id => expect.arrayContaining([id, 'collections.records.inserted', `c-${id}`])),
    );
    await writes.answer(1);
    await writes.answer(2);
    expect(await Promise.all(outcomes)).toEqual([true, true, true, true, true]);
  });

  it('are retried one by one if the database refused the group', async () => {
    const outcomes = [...(await writes.busy()), ...writes.insert(['c', 'd', 'e'])];
    await writes.answer(0);
    await writes.fail(2, refused);
    expect(writes.asked().slice(3)).toEqual([['c'], ['d'], ['e']]);
    await writes.answer(3);
    await writes.fail(4, refused);
    await writes.answer(5);
    await writes.answer(1);
    expect(await Promise.all(outcomes)).toEqual([true, true, true, refused, true]);
  });

  it('are retried one by one if the group had to wait for a lock, because a single insert may wait', async () => {
    const outcomes = [...(await writes.busy()), ...writes.insert(['c', 'd'])];
    await writes.answer(0);
    await writes.fail(2, Object.assign(new Error('lock timeout'), { code: '55P03' }));
    expect(writes.asked().slice(3)).toEqual([['c'], ['d']]);
    expect(
      writes.write.mock.calls.map(([, statement]) => rendered(statement).text.includes('lock_timeout')),
    ).toEqual([false, false, true, false, false]);
    for (const which of [1, 3, 4]) await writes.answer(which);
    expect(await Promise.all(outcomes)).toEqual([true, true, true, true]);
  });

  it.each([
    new Error('Connection terminated unexpectedly'),
    Object.assign(new Error('terminating connection'), { code: '57P01' }),
    Object.assign(new Error('software caused connection abort'), { code: 'ECONNABORTED' }),
  ])('are not retried if it is unknown whether they were done: %s', async lost => {
    const outcomes = [...(await writes.busy()), ...writes.insert(['c', 'd'])];
    await writes.answer(0);
    await writes.fail(2, lost);
    await writes.answer(1);
    expect(await Promise.all(outcomes)).toEqual([true, true, lost, lost]);
    expect(writes.write).toHaveBeenCalledTimes(3);
  });

  it('have their own deadlines: one past its deadline is refused, the others of its group continue', async () => {
    await writes.busy();
    const [impatient] = writes.insert(['c'], undefined, performance.now() + 5);
    const others = writes.insert(['d', 'e']);
    await writes.answer(0);
    expect(writes.asked()[2]).toEqual(['c', 'd', 'e']);
    await pause(10);
    await writes.fail(2, notAdmitted);
    expect(await impatient).toBe(notAdmitted);
    expect(writes.asked().slice(3)).toEqual([['d', 'e']]);
    await writes.answer(3);
    expect(await Promise.all(others)).toEqual([true, true]);
  });

  it('are all refused if the group is not admitted', async () => {
    const outcomes = [...(await writes.busy()), ...writes.insert(['c', 'd'])];
    await writes.answer(0);
    await writes.fail(2, notAdmitted);
    await writes.answer(1);
    expect(await Promise.all(outcomes)).toEqual([true, true, notAdmitted, notAdmitted]);
    expect(writes.write).toHaveBeenCalledTimes(3);
  });

  it('are retried one by one if the rights of one caller were withdrawn', async () => {
    const withdrawn = new PlatformError('Unauthorized', 'The credential is missing, invalid or expired.');
    const outcomes = [...(await writes.busy()), ...writes.insert(['c', 'd'])];
    await writes.answer(0);
    await writes.fail(2, withdrawn);
    expect(writes.asked().slice(3)).toEqual([['c'], ['d']]);
    await writes.fail(3, withdrawn);
    for (const which of [1, 4]) await writes.answer(which);
    expect(await Promise.all(outcomes)).toEqual([true, true, withdrawn, true]);
  });

  it('all get the result that the collection has changed', async () => {
    const outcomes = [...(await writes.busy()), ...writes.insert(['c', 'd'])];
    await writes.answer(0);
    await writes.fail(2, stale);
    await writes.answer(1);
    expect(await Promise.all(outcomes)).toEqual([true, true, stale, stale]);
  });

  it('reserve the quota for the whole group, and one by one near the limit', async () => {
    const quota = { records: 1, most: 10 };
    const outcomes = [...(await writes.busy(quota)), ...writes.insert(['c', 'd', 'e'], quota)];
    await writes.answer(0);
    const [, statement] = writes.write.mock.calls[2] as [Collection, Statement];
    expect(rendered(statement).values.slice(2, 4)).toEqual([3, 10]);
    await writes.fail(2, stale);
    expect(writes.asked().slice(3)).toEqual([['c'], ['d'], ['e']]);
    await writes.answer(3);
    for (const full of [4, 5]) await writes.fail(full, stale);
    await writes.answer(1);
    expect(await Promise.all(outcomes)).toEqual([true, true, true, stale, stale]);
  });

  it('are written alone if the statement has left them out, and the others are not written again', async () => {
    const outcomes = [...(await writes.busy()), ...writes.insert(['c', 'd', 'e'])];
    await writes.answer(0);
    await writes.answer(2, ['c,e']);
    expect(writes.asked().slice(3)).toEqual([['d']]);
    await writes.fail(3, refused);
    await writes.answer(1);
    expect(await Promise.all(outcomes)).toEqual([true, true, true, refused, true]);
  });

  it('do not share a statement if their leases have different generations', async () => {
    await writes.busy();
    writes.insert(['c']);
    writes.insert(['d', 'e'], { generation: 2 });
    await writes.answer(0);
    expect(writes.asked().slice(2)).toEqual([['c'], ['d', 'e']]);
  });

  it('do not keep waiting for statements that are stuck', async () => {
    await writes.busy();
    vi.useFakeTimers();
    writes.insert(['c', 'd']);
    expect(writes.asked()).toEqual([['a'], ['b']]);
    vi.advanceTimersByTime(50);
    expect(writes.asked().slice(2)).toEqual([['c', 'd']]);
  });

  it('do not keep waiting for one stuck statement with more inserts', async () => {
    writes.insert(['a', 'b']);
    await turn();
    vi.useFakeTimers();
    writes.insert(['c']);
    await vi.advanceTimersByTimeAsync(49);
    expect(writes.asked()).toEqual([['a', 'b']]);
    await vi.advanceTimersByTimeAsync(1);
    expect(writes.asked().slice(1)).toEqual([['c']]);
  });

  it('start no more statements on a locked table, and are refused when too many wait', async () => {
    await writes.busy();
    vi.useFakeTimers();
    writes.locked = true;
    const waiting = writes.insert(Array.from({ length: 256 }, (_, n) => `w${n}`));
    vi.advanceTimersByTime(1_000);
    expect(writes.asked()).toEqual([['a'], ['b']]);
    const [refused] = await Promise.all(writes.insert(['z']));
    expect(refused).toMatchObject({ code: 'Unavailable' });
    writes.locked = false;
    vi.advanceTimersByTime(50);
    expect(writes.asked().map(ids => ids.length)).toEqual([1, 1, 64, 64, 64, 64]);
    for (const { ids, answer } of writes.statements) answer([ids.join()]);
    expect(await Promise.all(waiting)).toHaveLength(256);
  });

  it('wait no longer than their deadline for a locked table', async () => {
    await writes.busy();
    vi.useFakeTimers();
    writes.locked = true;
    writes.insert(['c'], undefined, performance.now() + 200);
    writes.insert(['d']);
    vi.advanceTimersByTime(150);
    expect(writes.asked()).toEqual([['a'], ['b']]);
    vi.advanceTimersByTime(100);
    expect(writes.asked()).toEqual([['a'], ['b'], ['c']]);
    vi.advanceTimersByTime(1_000);
    expect(writes.asked()).toEqual([['a'], ['b'], ['c']]);
  });

  it('have a maximum number per group', async () => {
    await writes.busy();
    writes.insert(Array.from({ length: 64 + 3 }, (_, n) => `n${n}`));
    expect(writes.asked().map(ids => ids.length)).toEqual([1, 1, 64]);
  });
});
