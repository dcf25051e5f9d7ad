import { describe, expect, it } from 'vitest';
import { Clock } from '../../base/kernel/clock.js';
import type { CollectionShape } from '../../engine/storage/collection-shape.js';
import { type Row, withIds } from '../../engine/storage/records/record-layout.js';
import { expiry, layOut, mergedByKey, recordList, refuseBulk, refuseInsert } from './bulk-records.js';

const SHAPE: CollectionShape = {
  id: '00000000-0000-7000-8000-000000000001',
  orgId: '00000000-0000-7000-8000-000000000002',
  version: 1,
  mayExpire: false,
  columns: {
    isbn: { type: 'text', nullable: true, number: 1 },
    year: { type: 'integer', nullable: false, number: 7 },
  },
};

class Noon extends Clock {
  now = () => new Date('2026-01-31T12:00:00Z');
}

describe('a bulk', () => {
  it('has a value for each column, and the other fields together', () => {
    const records = [{ year: 1, isbn: null, a: [1], _id: 'mine', owner_id: 'me' }, { year: 2 }];
    expect(layOut(SHAPE, records, refuseInsert)).toEqual([
      [undefined, { a: [1] }, null, 1],
      [undefined, {}, undefined, 2],
    ]);
  });

  it('is refused with all its invalid values', () => {
    const records = [{ year: 'x', isbn: 7 }, {}, { year: 3 }];
    const problem = expect.any(String);
    const details = [
      { row: 0, column: 'year', problem },
      { row: 0, column: 'isbn', problem },
      { row: 1, column: 'year', problem },
    ];
    expect(() => layOut(SHAPE, records, refuseInsert)).toThrow(
      expect.objectContaining({ code: 'InvalidArguments', details }),
    );
    expect(() => layOut(SHAPE, records, refuseBulk)).toThrow(
      expect.objectContaining({ code: 'BatchRejected', details }),
    );
  });

  it('gets ascending ids', () => {
    const ids = withIds(Array.from({ length: 1_000 }, () => []));
    expect(ids).toEqual([...new Set(ids)].sort());
  });

  it('may be one record', () => {
    expect(recordList({ a: 1 }, 3)).toEqual([{ a: 1 }]);
    expect(recordList([1, 2, 3], 3)).toEqual([1, 2, 3]);
  });

  it.each([undefined, null, [], [1, 2, 3, 4]])('is not %j', records => {
    expect(() => recordList(records, 3)).toThrow('1 to 3');
  });

  it('expires after the given number of days, or never', () => {
    expect(expiry(new Noon(), 2)).toEqual(new Date('2026-02-02T12:00:00Z'));
    expect(expiry(new Noon(), 0)).toBeNull();
  });

  it('has one row for each key; later records overwrite the fields of earlier ones', () => {
    const rows: Row[] = [
      { _id: '1', c1: 'a', c7: 1, x: { p: 1, q: 1 } },
      { _id: '2', c1: 'b', c7: 2 },
      { _id: '3', c1: 'a', c7: 3, x: { q: 2 } },
    ];
    expect(mergedByKey(SHAPE, rows, 'isbn')).toEqual([
      { _id: '3', c1: 'a', c7: 3, x: { p: 1, q: 2 } },
      { _id: '2', c1: 'b', c7: 2 },
    ]);
    expect(() => mergedByKey(SHAPE, [{ c7: 1 }], 'isbn')).toThrow('records.0.isbn');
  });

  it('does not change the records that it merges', () => {
    const rows: Row[] = [{ c1: 'a' }, { c1: 'a', x: { p: 1 } }, { c1: 'a', x: { q: 2 } }];
    const before = structuredClone(rows);
    expect(mergedByKey(SHAPE, rows, 'isbn')).toEqual([{ c1: 'a', x: { p: 1, q: 2 } }]);
    expect(rows).toEqual(before);
  });
});
