import { describe, expect, it } from 'vitest';
import { identifier, param, sql } from '../../../base/sql/index.js';
import { parseFilter, parseSort } from '../../filter/index.js';
import { type IndexedShape, MAX_SEEN_SHAPES, type MeasurableRead, SeenQueries } from './seen-queries.js';

const column = (number: number) => ({ type: 'integer', nullable: true, number });
const COLLECTION = {
  id: '01890000-0000-7000-8000-000000000000',
  orgId: '01890000-0000-7000-8000-000000000001',
  version: 1,
  mayExpire: false,
  columns: { year: column(1), shelf: column(2) },
  indexes: [],
  uniques: [],
} as unknown as IndexedShape;
const BY_YEAR = { properties: ['year'] };

/** A read by year. Reads with another `text` have another SQL. */
function read({
  text = 'a',
  filter = { year: 7 },
  sort,
  collection = COLLECTION,
  value = 7,
}: {
  readonly text?: string;
  readonly filter?: object;
  readonly sort?: object;
  readonly collection?: IndexedShape;
  readonly value?: unknown;
} = {}): MeasurableRead {
  const query = sql`SELECT ${identifier(text)} WHERE x = ${param(value, 'text')}`;
  return { collection, asked: { filter: parseFilter(filter), sort: parseSort(sort) }, statement: { query } };
}

const seenOf = (...reads: MeasurableRead[]) => {
  const seen = new SeenQueries();
  for (const each of reads) seen.add(each, performance.now());
  return seen;
};
const settleAll = (seen: SeenQueries) => {
  for (const query of seen.waiting(Number.POSITIVE_INFINITY)) seen.settle(query, BY_YEAR);
};

describe('seen queries', () => {
  it('of one shape are counted together, and taken once', () => {
    const seen = seenOf(read({ value: 1 }), read({ value: 2 }));
    expect(seen.waiting(10)).toHaveLength(1);
    settleAll(seen);
    seen.add(read({ value: 3 }), performance.now());
    expect(seen.take()).toMatchObject([
      { index: BY_YEAR, queries: 3, sample: { filter: { year: 'integer' }, sort: null } },
    ]);
    expect(seen.take()).toEqual([]);
  });

  it('of different flexible fields have different shapes, although their SQL is the same', () => {
    const seen = seenOf(
      read({ filter: { year: 1, city: 'a' } }),
      read({ filter: { year: 1, zip: 'a' } }),
      read({ filter: { year: 1, $or: [{ city: 'a' }, { 'address.zip': 'a' }] } }),
    );
    expect(seen.waiting(10)).toHaveLength(3);
  });

  it('that took most time are measured first', () => {
    const seen = seenOf();
    seen.add(read({ text: 'quick' }), performance.now());
    seen.add(read({ text: 'slow' }), performance.now() - 1_000);
    expect(seen.waiting(1)[0]?.waiting?.statement.query.shape).toBe(
      read({ text: 'slow' }).statement.query.shape,
    );
  });

  it('that no index can help are neither measured nor taken', () => {
    const indexed = { ...COLLECTION, indexes: [BY_YEAR] };
    const seen = seenOf(
      read({ filter: { year: { $ne: 1 } } }),
      read({ text: 'b', collection: indexed }),
      read({ text: 'c', filter: {} }),
    );
    expect(seen.waiting(10)).toEqual([]);
    expect(seen.take()).toEqual([]);
  });

  it('with large values are not kept', () => {
    expect(seenOf(read({ value: 'x'.repeat(20_000) })).waiting(10)).toEqual([]);
  });

  it('keep no values once they are measured', () => {
    const secret = 'a secret value';
    const seen = seenOf(read({ value: secret }));
    expect(JSON.stringify(seen.waiting(1)[0]?.waiting)).toContain(secret);
    settleAll(seen);
    seen.add(read({ value: secret }), performance.now());
    expect(seen.waiting(1)).toEqual([]);
    expect(JSON.stringify(seen.take())).not.toContain(secret);
  });

  it('that could not be measured are measured when they are sent again', () => {
    const seen = seenOf(read());
    for (const query of seen.waiting(1)) seen.measureLater(query);
    expect(seen.waiting(1)).toEqual([]);
    seen.add(read(), performance.now());
    expect(seen.waiting(1)).toHaveLength(1);
  });

  it('are judged again when the collection has changed', () => {
    const seen = seenOf(read());
    settleAll(seen);
    seen.add(read({ collection: { ...COLLECTION, version: 2 } }), performance.now());
    expect(seen.waiting(10)).toHaveLength(1);
    seen.add(read({ collection: { ...COLLECTION, version: 3, indexes: [BY_YEAR] } }), performance.now());
    expect(seen.waiting(10)).toEqual([]);
    expect(seen.take()).toEqual([]);
  });

  it('take a bounded memory, and make room for others when they are not sent any more', () => {
    const seen = new SeenQueries();
    const sendMany = (prefix: string) => {
      for (let n = 0; n < MAX_SEEN_SHAPES + 100; n++)
        seen.add(read({ text: `${prefix}${n}` }), performance.now());
    };
    sendMany('a');
    expect(seen.waiting(Number.POSITIVE_INFINITY)).toHaveLength(1_000);
    settleAll(seen);
    expect(seen.take()).toHaveLength(1_000);
    sendMany('b');
    expect(seen.waiting(Number.POSITIVE_INFINITY)).toEqual([]);
    for (let period = 0; period < 5; period++) seen.take();
    sendMany('b');
    expect(seen.waiting(Number.POSITIVE_INFINITY)).toHaveLength(1_000);
  });
});
