import { describe, expect, it } from 'vitest';
import { differences, type Outcome, type Stored, type Write } from './ledger.js';

const write = (
  op: string,
  kind: Write['kind'],
  marks: string[],
  outcome: Outcome = 'acknowledged',
): Write => {
  return { op, kind, marks, outcome };
};

const WRITES = [
  write('a', 'insert', ['a.0', 'a.1']),
  write('b', 'bulk', ['b.0', 'b.1', 'b.2'], 'dropped'),
  write('c', 'update', ['a.0']),
  write('d', 'upsert', ['u']),
  write('e', 'upsert', ['u'], 'refused'),
];

/** The database state when every write except the refused ones was stored. */
const STORED: Stored = {
  records: [
    { mark: 'a.0', log: ['c'] },
    { mark: 'a.1', log: [] },
    ...['b.0', 'b.1', 'b.2'].map(mark => ({ mark, log: [] })),
    { mark: 'u', log: null },
  ],
  events: [
    { op: 'a', count: 2 },
    { op: 'b', count: 3 },
    { op: 'c', count: 1 },
    { op: 'd', count: 1 },
  ],
  changes: [
    { mark: 'a.0', op: 'a' },
    { mark: 'a.1', op: 'a' },
    ...['b.0', 'b.1', 'b.2'].map(mark => ({ mark, op: 'b' })),
    { mark: 'a.0', op: 'c' },
    { mark: 'u', op: 'd' },
  ],
};

const without = <T>(list: readonly T[], index: number) => list.filter((_, at) => at !== index);
const twice = <T>(list: readonly T[], index: number) => [...list, list[index] as T];

/** The number of differences of each kind. */
function found(stored: Partial<Stored>, writes = WRITES): [lost: number, duplicated: number, half: number] {
  const { lost, duplicated, half } = differences(writes, { ...STORED, ...stored });
  return [lost.length, duplicated.length, half.length];
}

describe('the ledger', () => {
  it('reports no difference when every acknowledged write is stored once, with or without the unacknowledged ones', () => {
    expect(found({})).toEqual([0, 0, 0]);
    const nothingOfB: Stored = {
      records: STORED.records.filter(({ mark }) => !mark.startsWith('b')),
      events: STORED.events.filter(({ op }) => op !== 'b'),
      changes: STORED.changes.filter(({ op }) => op !== 'b'),
    };
    expect(found(nothingOfB)).toEqual([0, 0, 0]);
  });

  it('reports acknowledged writes that are lost in whole or in part', () => {
    expect(found({ records: [], events: [], changes: [] })).toEqual([3, 0, 0]);
    expect(found({ records: without(STORED.records, 1) })).toEqual([1, 0, 1]);
    expect(found({ records: [{ mark: 'a.0', log: [] }, ...without(STORED.records, 0)] })).toEqual([1, 0, 1]);
  });

  it('reports duplicates: a record, an update, an event, a change', () => {
    expect(found({ records: twice(STORED.records, 2) })).toEqual([0, 1, 0]);
    expect(found({ records: [{ mark: 'a.0', log: ['c', 'c'] }, ...without(STORED.records, 0)] })).toEqual([
      0, 1, 0,
    ]);
    expect(found({ events: twice(STORED.events, 1) })).toEqual([0, 1, 0]);
    expect(found({ changes: twice(STORED.changes, 6) })).toEqual([0, 1, 0]);
  });

  it('reports writes that are stored although the client was told that nothing was written', () => {
    const writesWith = (outcome: Outcome) =>
      WRITES.map(each => (each.op === 'b' ? { ...each, outcome } : each));
    expect(differences(writesWith('refused'), STORED).denied).toHaveLength(1);
    expect(differences(writesWith('unknown'), STORED).denied).toEqual([]);
  });

  it('reports a batch that is stored in part, and records without their event or their change', () => {
    expect(found({ records: without(STORED.records, 2) })).toEqual([0, 0, 1]);
    expect(found({ events: without(STORED.events, 1) })).toEqual([0, 0, 1]);
    expect(found({ changes: without(STORED.changes, 2) })).toEqual([0, 0, 1]);
    expect(found({ changes: [...STORED.changes, { mark: 'u', op: 'e' }] })).toEqual([0, 0, 1]);
    expect(found({ events: [{ op: 'a', count: 1 }, ...without(STORED.events, 0)] })).toEqual([0, 0, 1]);
  });
});
