import { describe, expect, it } from 'vitest';
import { render, sql } from '../../base/sql/index.js';
import { COLUMN_TYPES, id } from '../columns/index.js';
import { after, positionOf } from './keyset.js';
import { parseProjection } from './projection.js';
import type { ShapedColumn, TableShape } from './scope.js';
import { orderBy, parseSort, sortKeys } from './sort.js';

const columns: Record<string, ShapedColumn> = {
  price: { sql: sql`t.c1`, type: COLUMN_TYPES.double },
  created_at: { sql: sql`t.created_at`, type: COLUMN_TYPES.datetime, nullable: false },
  _id: { sql: sql`t._id`, type: id },
};
const shape: TableShape = { column: name => columns[name], flexible: sql`t.x`, textColumns: [] };
const keysOf = (sort: unknown) => sortKeys(parseSort(sort), shape);
const afterOf = (sort: unknown, position: (string | null)[]) =>
  render(after(keysOf(sort), position, sql`r`)).text;

describe('a sort', () => {
  it.each([
    [undefined, 't._id ASC'],
    [{}, 't._id ASC'],
    [{ price: 1 }, 't.c1 ASC NULLS FIRST, t._id ASC'],
    [{ price: -1 }, 't.c1 DESC NULLS LAST, t._id DESC'],
    [{ price: -1, created_at: 1 }, 't.c1 DESC NULLS LAST, t.created_at ASC NULLS FIRST, t._id ASC'],
    [{ _id: -1, price: 1 }, 't._id DESC'],
  ])('%j is ORDER BY %s', (sort, sql) => {
    expect(render(orderBy(keysOf(sort))).text).toBe(sql);
  });

  it.each([[{ a: 2 }], [{ a: '1' }], [{ a: true }], [[]], ['a'], [null]])('%j is refused', sort => {
    expect(() => parseSort(sort)).toThrow(/sort/);
  });

  it('has at most 32 fields', () => {
    const fields = (count: number) =>
      Object.fromEntries(Array.from({ length: count }, (_, n) => [`f${n}`, 1]));
    expect(parseSort(fields(32))).toHaveLength(33);
    expect(() => parseSort(fields(33))).toThrow('sort takes at most 32 fields');
  });
});

describe('the records after a position', () => {
  it.each([
    [{ price: 1 }, ['5', 'u'], '(t.c1, t._id) > ($1::double precision, $2::uuid)'],
    [{ created_at: -1 }, ['now', 'u'], '(t.created_at, t._id) < ($1::timestamptz, $2::uuid)'],
    [{ price: 1 }, [null, 'u'], '((t.c1 IS NOT NULL OR (t.c1 IS NULL AND t._id > $1::uuid)))'],
    [{ price: -1 }, [null, 'u'], '(t.c1 IS NULL AND (t.c1 IS NULL AND t._id < $1::uuid))'],
    [
      { price: -1 },
      ['5', 'u'],
      '(((t.c1 < $1::double precision OR t.c1 IS NULL) OR (t.c1 = $1::double precision AND t._id < $2::uuid)))',
    ],
    [
      { created_at: 1, price: -1 },
      ['now', '5', 'u'],
      '(t.created_at >= $1::timestamptz AND (t.created_at > $1::timestamptz OR (t.created_at = $1::timestamptz AND ' +
        '((t.c1 < $2::double precision OR t.c1 IS NULL) OR (t.c1 = $2::double precision AND t._id < $3::uuid)))))',
    ],
  ])('sorted by %j at %j: %s', (sort, position, sql) => {
    expect(afterOf(sort, position)).toBe(sql);
  });

  it('is refused for a position of another sort', () => {
    expect(() => afterOf({ price: 1 }, ['u'])).toThrow('the cursor does not belong to this sort');
  });

  it('reads the position as text, so that no digit is lost', () => {
    expect(render(positionOf(keysOf({ price: 1 }))).text).toBe(
      'json_build_array((t.c1)::text, (t._id)::text)',
    );
  });
});

describe('a projection', () => {
  it.each([
    [undefined, undefined],
    [[], undefined],
    [
      { a: 1, 'b.c': true },
      { mode: 'include', paths: [['a'], ['b', 'c']], id: true },
    ],
    [['a'], { mode: 'include', paths: [['a']], id: true }],
    [{ a: 0 }, { mode: 'exclude', paths: [['a']], id: true }],
    [
      { a: 1, _id: 0 },
      { mode: 'include', paths: [['a']], id: false },
    ],
    [
      { a: 0, _id: 1 },
      { mode: 'exclude', paths: [['a']], id: true },
    ],
    [{ _id: 1 }, { mode: 'include', paths: [], id: true }],
    [{ _id: 0 }, { mode: 'exclude', paths: [], id: false }],
  ])('%j means %j', (fields, projection) => {
    expect(parseProjection(fields)).toEqual(projection);
  });

  it.each([
    [{ a: 1, b: 0 }, 'use either 1 (include) or 0 (exclude)'],
    [{ a: { $slice: 1 } }, 'must be 1 or 0'],
    [{ a: 1, 'a.b': 1 }, 'a.b and a overlap'],
    ['a', 'must be an object'],
    [[1], 'a field name must be a string'],
  ])('%j is refused', (fields, message) => {
    expect(() => parseProjection(fields)).toThrow(message);
  });
});
