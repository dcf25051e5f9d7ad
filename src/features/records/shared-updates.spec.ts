import { setImmediate as turn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from 'vitest';
import { AnsweredWrites, actOf, COLLECTION } from '../../../test/harness/answered-writes.js';
import type { FieldChanges } from '../../engine/storage/records/change.js';
import type { Collection } from '../collections/collection.entity.js';
import type { WriteOptions } from './record-writes.js';
import { type SharedUpdate, sharedUpdate, UPDATES } from './shared-updates.js';

const WRITE = {
  description: { call: { principal: { type: 'user', id: 'ada' } }, type: 'collections.records.updated' },
} as unknown as WriteOptions;

describe('updates that do not share a statement', () => {
  it.each<[string, Partial<WriteOptions>, object?]>([
    ['with an entity tag', {}, { tag: { tags: ['1-1-2'], not: false } }],
    ['that are dry runs', { dryRun: true }],
    ['that change the time of expiry', { expiresAt: null }],
  ])('are those %s', (_, write, selection) => {
    const columns = [{ column: 'copies', change: 'inc' as const, value: -1 }];
    const changes = { columns, flexible: {}, removed: [] };
    expect(
      sharedUpdate({ recordId: 'a', ...selection }, changes, { ...WRITE, ...write }, Infinity),
    ).toBeUndefined();
  });

  it('are those of many values', () => {
    const flexible = (length: number) => ({
      columns: [],
      flexible: { text: 'x'.repeat(length) },
      removed: [],
    });
    expect(sharedUpdate({ recordId: 'a' }, flexible(9_000), WRITE, Infinity)).toBeUndefined();
    expect(sharedUpdate({ recordId: 'a' }, flexible(10), WRITE, Infinity)).toBeDefined();
  });
});

let writes: AnsweredWrites;
beforeEach(() => {
  writes = new AnsweredWrites();
});

describe('updates of one collection', () => {
  const updatable = {
    ...COLLECTION,
    columns: {
      title: { type: 'text', nullable: true, number: 1 },
      copies: { type: 'integer', nullable: true, number: 2 },
    },
  } as unknown as Collection;
  const sold: FieldChanges['columns'] = [{ column: 'copies', change: 'inc', value: -1 }];

  /** Updates these records at the same time. Resolves to the outcomes in the same order. */
  function update(ids: readonly string[], columns = sold) {
    return ids.map(recordId => {
      const write = { description: actOf(`c-${recordId}`, 'collections.records.updated') };
      const shared = sharedUpdate(
        { recordId },
        { columns, flexible: {}, removed: [] },
        write as WriteOptions,
        Infinity,
      );
      return writes.share(updatable, UPDATES, shared as SharedUpdate);
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
    expect(writes.asked()).toEqual([['a'], ['b']]);
    await writes.answer(0, [1, 1]);
    expect(writes.asked()).toEqual([['a'], ['b'], ['changed', 'same', 'missing']]);
    await writes.answer(1, [1, 0]);
    await writes.answer(2, ['changed,same', 'changed']);
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
    await writes.answer(0, [1, 1]);
    expect(writes.asked().slice(2)).toEqual([['x', 'y']]);
    await writes.answer(1, [1, 1]);
    expect(writes.asked().slice(3)).toEqual([['x']]);
    await writes.answer(2, ['x,y', 'x,y']);
    expect(writes.asked().slice(4)).toEqual([['x']]);
    await writes.answer(3, [1, 1]);
    await writes.answer(4, [1, 1]);
    expect(await Promise.all(outcomes)).toEqual([one, one, one, one, one, one]);
  });

  it('share a statement only with those that change the same fields in the same way', async () => {
    await busyWithUpdates();
    update(['c']);
    update(['d'], [{ column: 'copies', change: 'set', value: 1 }]);
    update(['e'], [{ column: 'copies', change: 'inc', value: 5 }]);
    await writes.answer(0, [1, 1]);
    expect(writes.asked().slice(2)).toEqual([['c', 'e'], ['d']]);
  });

  it('share no statement with an update to a long text, which measures the record', async () => {
    const title = (value: string): typeof sold => [{ column: 'title', change: 'set', value }];
    await busyWithUpdates();
    update(['c'], title('short'));
    update(['d'], title('x'.repeat(5_000)));
    update(['e'], title('x'.repeat(4_000)));
    await writes.answer(0, [1, 1]);
    expect(writes.asked().slice(2)).toEqual([['c', 'e'], ['d']]);
  });

  it('do not wait for inserts', async () => {
    await writes.busy();
    writes.insert(['c']);
    update(['x']);
    await turn();
    expect(writes.asked()).toEqual([['a'], ['b'], ['x']]);
  });
});
