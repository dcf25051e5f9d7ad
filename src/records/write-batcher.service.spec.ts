import { setTimeout as pause, setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it, vi } from 'vitest';
import type { Collection } from '../collections/collection.entity.js';
import { PlatformError } from '../kernel/errors.js';
import type { Quota } from '../storage/quota/quota.js';
import type { RecordStore } from '../storage/record-store.js';
import type { FieldChanges } from '../storage/records/change.js';
import { Stale } from '../storage/stale.js';
import { rendered, type Statement } from '../storage/statement.js';
import { INSERTS } from './batched-inserts.js';
import { type OneUpdate, sharedUpdate, UPDATES } from './batched-updates.js';
import type { RecordAct, Write } from './record-writes.js';
import { WriteBatcher } from './write-batcher.service.js';

const ORG = '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e01';
const collection = {
  id: '0199f3a2-7c41-7b1e-9d2a-3f5b8c6d7e02',
  orgId: ORG,
  name: 'books',
  version: 1,
  columns: {},
  uniques: [],
} as unknown as Collection;

/** A database whose statements answer when the test lets them. */
class Database {
  readonly asked: {
    ids: string[];
    answer: (values: unknown[]) => void;
    fail: (e: Error) => void;
  }[] = [];
  locked = false;
  readonly deadline = () => performance.now() + 15_000;
  readonly isLocked = () => this.locked;
  readonly write = vi.fn(
    (_: Collection, statement: Statement) =>
      new Promise<unknown[]>((answer, fail) => this.asked.push({ ids: idsIn(statement), answer, fail })),
  );
}

/** The records of a statement: those of its rows, or the one that it selects. */
function idsIn(statement: Statement): string[] {
  const { values } = rendered(statement);
  const rows = values.find(value => typeof value === 'string' && /^\[(\["|{"_id")/.test(value));
  if (rows === undefined) return [values[2] as string];
  return JSON.parse(rows as string).map((row: { _id: string } | [id: string]) =>
    Array.isArray(row) ? row[0] : row._id,
  );
}

let database: Database;
let batcher: WriteBatcher;
beforeEach(() => {
  database = new Database();
  batcher = new WriteBatcher(database as unknown as RecordStore);
});

const act = (correlationId: string, type: RecordAct['type'] = 'collections.records.inserted') =>
  ({
    call: { principal: { type: 'user', id: 'u' }, via: 'rest', correlationId, ip: undefined },
    type,
  }) as unknown as RecordAct;

/** Inserts records with these ids at the same time. Resolves to the outcomes in the same order. */
function insert(ids: readonly string[], quota: Quota = { generation: 1 }, until = Infinity) {
  return ids.map(id =>
    batcher
      .write(collection, INSERTS, {
        recordId: id,
        list: [id, {}],
        json: JSON.stringify([id, {}]),
        quota,
        act: act(`c-${id}`),
        until,
      })
      .catch((error: Error) => error),
  );
}
/** Inserts `a` and `b` with a statement each, which are running, so that further inserts wait. */
async function busy(quota?: Quota) {
  const outcomes = insert(['a'], quota);
  await turn();
  outcomes.push(...insert(['b'], quota));
  await turn();
  return outcomes;
}
const asked = () => database.asked.map(({ ids }) => ids);
const answer = (which: number, values: unknown[] = []) => {
  database.asked[which]?.answer(values);
  return turn();
};
const fail = (which: number, error: Error) => {
  database.asked[which]?.fail(error);
  return turn();
};
const notAdmitted = new PlatformError('Unavailable', 'Nothing was written.');
const stale = new Stale();
const refused = Object.assign(new Error('duplicate key'), { code: '23505' });

describe('inserts of one collection', () => {
  it('are sent at the end of the turn, those of one turn together', async () => {
    insert(['a', 'b']);
    expect(asked()).toEqual([]);
    await turn();
    insert(['c']);
    await turn();
    expect(asked()).toEqual([['a', 'b'], ['c']]);
  });

  it('are sent before the end of the turn when there are sixteen, unless two statements are running', async () => {
    insert(Array.from({ length: 40 }, (_, n) => `n${n}`));
    expect(asked().map(ids => ids.length)).toEqual([16, 16]);
    await answer(0);
    expect(asked().map(ids => ids.length)).toEqual([16, 16, 8]);
  });

  it('of a turn that ends while two statements are running do not wait for stuck ones', async () => {
    vi.useFakeTimers();
    try {
      insert(Array.from({ length: 33 }, (_, n) => `n${n}`));
      await vi.advanceTimersByTimeAsync(50);
      expect(asked().map(ids => ids.length)).toEqual([16, 16, 1]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('are batched into the next statement when more are running, each with its event', async () => {
    const outcomes = [...(await busy()), ...insert(['c', 'd', 'e'])];
    expect(asked()).toEqual([['a'], ['b']]);
    await answer(0);
    expect(asked()).toEqual([['a'], ['b'], ['c', 'd', 'e']]);
    const [, statement] = database.write.mock.calls[2] as [Collection, Statement];
    const events = rendered(statement).values.find(
      value => typeof value === 'string' && value.includes('correlation_id'),
    );
    expect(JSON.parse(events as string)).toMatchObject(
      ['c', 'd', 'e'].map(id => ({ correlation_id: `c-${id}`, count: 1, record_ids: [id] })),
    );
    await answer(1);
    await answer(2);
    expect(await Promise.all(outcomes)).toEqual([undefined, undefined, undefined, undefined, undefined]);
  });

  it('are retried one by one if the database refused the batch', async () => {
    const outcomes = [...(await busy()), ...insert(['c', 'd', 'e'])];
    await answer(0);
    await fail(2, refused);
    expect(asked().slice(3)).toEqual([['c'], ['d'], ['e']]);
    await answer(3);
    await fail(4, refused);
    await answer(5);
    await answer(1);
    expect(await Promise.all(outcomes)).toEqual([undefined, undefined, undefined, refused, undefined]);
  });

  it('are retried one by one if the batch had to wait for a lock, because a single insert may wait', async () => {
    const outcomes = [...(await busy()), ...insert(['c', 'd'])];
    await answer(0);
    await fail(2, Object.assign(new Error('lock timeout'), { code: '55P03' }));
    expect(asked().slice(3)).toEqual([['c'], ['d']]);
    expect(
      database.write.mock.calls.map(([, statement]) => rendered(statement).text.includes('lock_timeout')),
    ).toEqual([false, false, true, false, false]);
    for (const which of [1, 3, 4]) await answer(which);
    expect(await Promise.all(outcomes)).toEqual([undefined, undefined, undefined, undefined]);
  });

  it.each([
    new Error('Connection terminated unexpectedly'),
    Object.assign(new Error('terminating connection'), { code: '57P01' }),
    Object.assign(new Error('software caused connection abort'), { code: 'ECONNABORTED' }),
  ])('are not retried if it is unknown whether they were done: %s', async lost => {
    const outcomes = [...(await busy()), ...insert(['c', 'd'])];
    await answer(0);
    await fail(2, lost);
    await answer(1);
    expect(await Promise.all(outcomes)).toEqual([undefined, undefined, lost, lost]);
    expect(database.write).toHaveBeenCalledTimes(3);
  });

  it('have their own deadlines: one past its deadline is refused, the others of its batch continue', async () => {
    await busy();
    const [impatient] = insert(['c'], undefined, performance.now() + 5);
    const others = insert(['d', 'e']);
    await answer(0);
    expect(asked()[2]).toEqual(['c', 'd', 'e']);
    await pause(10);
    await fail(2, notAdmitted);
    expect(await impatient).toBe(notAdmitted);
    expect(asked().slice(3)).toEqual([['d', 'e']]);
    await answer(3);
    expect(await Promise.all(others)).toEqual([undefined, undefined]);
  });

  it('are all refused if the batch is not admitted', async () => {
    const outcomes = [...(await busy()), ...insert(['c', 'd'])];
    await answer(0);
    await fail(2, notAdmitted);
    await answer(1);
    expect(await Promise.all(outcomes)).toEqual([undefined, undefined, notAdmitted, notAdmitted]);
    expect(database.write).toHaveBeenCalledTimes(3);
  });

  it('are retried one by one if the rights of one caller were withdrawn', async () => {
    const withdrawn = new PlatformError('Unauthorized', 'The credential is missing, invalid or expired.');
    const outcomes = [...(await busy()), ...insert(['c', 'd'])];
    await answer(0);
    await fail(2, withdrawn);
    expect(asked().slice(3)).toEqual([['c'], ['d']]);
    await fail(3, withdrawn);
    for (const which of [1, 4]) await answer(which);
    expect(await Promise.all(outcomes)).toEqual([undefined, undefined, withdrawn, undefined]);
  });

  it('all get the result that the collection has changed', async () => {
    const outcomes = [...(await busy()), ...insert(['c', 'd'])];
    await answer(0);
    await fail(2, stale);
    await answer(1);
    expect(await Promise.all(outcomes)).toEqual([undefined, undefined, stale, stale]);
  });

  it('reserve the quota for the whole batch, and one by one near the limit', async () => {
    const quota = { records: 1, most: 10 };
    const outcomes = [...(await busy(quota)), ...insert(['c', 'd', 'e'], quota)];
    await answer(0);
    const [, statement] = database.write.mock.calls[2] as [Collection, Statement];
    expect(rendered(statement).values.slice(2, 4)).toEqual([3, 10]);
    await fail(2, stale);
    expect(asked().slice(3)).toEqual([['c'], ['d'], ['e']]);
    await answer(3);
    for (const full of [4, 5]) await fail(full, stale);
    await answer(1);
    expect(await Promise.all(outcomes)).toEqual([undefined, undefined, undefined, stale, stale]);
  });

  it('are not batched if their leases have different generations', async () => {
    await busy();
    insert(['c']);
    insert(['d', 'e'], { generation: 2 });
    await answer(0);
    expect(asked().slice(2)).toEqual([['c'], ['d', 'e']]);
  });

  it('do not keep waiting for statements that are stuck', async () => {
    await busy();
    vi.useFakeTimers();
    try {
      insert(['c', 'd']);
      expect(asked()).toEqual([['a'], ['b']]);
      vi.advanceTimersByTime(50);
      expect(asked().slice(2)).toEqual([['c', 'd']]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('start no more statements on a locked table, and are refused when too many wait', async () => {
    await busy();
    vi.useFakeTimers();
    try {
      database.locked = true;
      const waiting = insert(Array.from({ length: 256 }, (_, n) => `w${n}`));
      vi.advanceTimersByTime(1_000);
      expect(asked()).toEqual([['a'], ['b']]);
      const [refused] = await Promise.all(insert(['z']));
      expect(refused).toMatchObject({ code: 'Unavailable' });
      database.locked = false;
      vi.advanceTimersByTime(50);
      expect(asked().map(ids => ids.length)).toEqual([1, 1, 64, 64, 64, 64]);
      for (const which of [0, 1, 2, 3, 4, 5]) database.asked[which]?.answer([]);
      expect(await Promise.all(waiting)).toHaveLength(256);
    } finally {
      vi.useRealTimers();
    }
  });

  it('wait no longer than their deadline for a locked table', async () => {
    await busy();
    vi.useFakeTimers();
    try {
      database.locked = true;
      insert(['c'], undefined, performance.now() + 200);
      insert(['d']);
      vi.advanceTimersByTime(150);
      expect(asked()).toEqual([['a'], ['b']]);
      vi.advanceTimersByTime(100);
      expect(asked()).toEqual([['a'], ['b'], ['c']]);
      vi.advanceTimersByTime(1_000);
      expect(asked()).toEqual([['a'], ['b'], ['c']]);
    } finally {
      vi.useRealTimers();
    }
  });

  it('have a maximum number per batch', async () => {
    await busy();
    insert(Array.from({ length: 64 + 3 }, (_, n) => `n${n}`));
    expect(asked().map(ids => ids.length)).toEqual([1, 1, 64]);
  });
});

describe('updates of one collection', () => {
  const updatable = {
    ...collection,
    columns: {
      title: { type: 'text', nullable: true, number: 1 },
      copies: { type: 'integer', nullable: true, number: 2 },
    },
  } as unknown as Collection;
  const sold: FieldChanges['columns'] = [{ column: 'copies', change: 'inc', value: -1 }];

  /** Updates these records at the same time. Resolves to the outcomes in the same order. */
  function update(ids: readonly string[], columns = sold) {
    return ids.map(recordId => {
      const write = { act: act(`c-${recordId}`, 'collections.records.updated'), until: Infinity };
      const shared = sharedUpdate({ recordId }, { columns, flexible: {}, removed: [] }, write as Write);
      return batcher.write(updatable, UPDATES, shared as OneUpdate).catch((error: Error) => error);
    });
  }
  const one = { matched: 1, updated: 1 };

  /** Updates of `a` and `b` with a statement each, which are running. */
  async function busyWithUpdates() {
    const outcomes = update(['a']);
    await turn();
    outcomes.push(...update(['b']));
    await turn();
    return outcomes;
  }

  it('share a statement, and each gets its own result', async () => {
    const outcomes = [...(await busyWithUpdates()), ...update(['changed', 'same', 'missing'])];
    expect(asked()).toEqual([['a'], ['b']]);
    await answer(0, [1, 1]);
    expect(asked()).toEqual([['a'], ['b'], ['changed', 'same', 'missing']]);
    await answer(1, [1, 0]);
    await answer(2, [['changed', 'same'], ['changed']]);
    expect(await Promise.all(outcomes)).toEqual([
      one,
      { matched: 1, updated: 0 },
      one,
      { matched: 1, updated: 0 },
      { matched: 0, updated: 0 },
    ]);
  });

  it('of one record have a statement each, in their order, whatever the case of its id', async () => {
    const outcomes = [...(await busyWithUpdates()), ...update(['X', 'y', 'x', 'x'])];
    await answer(0, [1, 1]);
    expect(asked().slice(2)).toEqual([['x', 'y']]);
    await answer(1, [1, 1]);
    expect(asked().slice(3)).toEqual([['x']]);
    await answer(2, [
      ['x', 'y'],
      ['x', 'y'],
    ]);
    expect(asked().slice(4)).toEqual([['x']]);
    await answer(3, [1, 1]);
    await answer(4, [1, 1]);
    expect(await Promise.all(outcomes)).toEqual([one, one, one, one, one, one]);
  });

  it('share a statement only with those that change the same fields in the same way', async () => {
    await busyWithUpdates();
    update(['c']);
    update(['d'], [{ column: 'copies', change: 'set', value: 1 }]);
    update(['e'], [{ column: 'copies', change: 'inc', value: 5 }]);
    await answer(0, [1, 1]);
    expect(asked().slice(2)).toEqual([['c', 'e'], ['d']]);
  });

  it('do not wait for inserts', async () => {
    await busy();
    insert(['c']);
    update(['x']);
    await turn();
    expect(asked()).toEqual([['a'], ['b'], ['x']]);
  });
});
