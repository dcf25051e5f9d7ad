import { describe, expect, it } from 'vitest';
import { render, sql } from '../../base/sql/index.js';
import { COLUMN_TYPES, id } from '../columns/index.js';
import { compileFilter } from './compile.js';
import { parseFilter } from './parse.js';
import type { ShapedColumn, TableShape } from './scope.js';

const { text, integer, double, boolean, date, datetime, json, array } = COLUMN_TYPES;
const COLUMNS = new Map<string, ShapedColumn>([
  ['_id', { sql: sql`t._id`, type: id }],
  ['text', { sql: sql`t.text`, type: text }],
  ['integer', { sql: sql`t.integer`, type: integer }],
  ['double', { sql: sql`t.double`, type: double }],
  ['boolean', { sql: sql`t.boolean`, type: boolean }],
  ['date', { sql: sql`t.date`, type: date }],
  ['datetime', { sql: sql`t.datetime`, type: datetime }],
  ['json', { sql: sql`t.json`, type: json }],
  ['array', { sql: sql`t.array`, type: array }],
]);

const shape: TableShape = {
  column: name => COLUMNS.get(name),
  flexible: sql`t.x`,
  textColumns: [sql`t.text`, sql`t.other`],
};

function folded(text: string): string {
  const capitals = `upper(replace(replace(${text}, 'ẞ', 'ß'), 'ı', U&'\\FDD0') COLLATE "und-x-icu")`;
  return `CASE WHEN octet_length(${text}) = length(${text}) THEN lower(${text} COLLATE "C") ELSE lower(replace(${capitals}, 'Σ', 'σ')) COLLATE "C" END`;
}

function compiled(filter: unknown): [string, ...unknown[]] {
  const { text, values } = render(compileFilter(parseFilter(filter), shape));
  return [text, ...values];
}

describe('a typed column compiles to the native operator', () => {
  it.each<[unknown, string, ...unknown[]]>([
    [{}, 'TRUE'],
    [{ integer: 7 }, 't.integer = $1::bigint', 7],
    [{ double: { $gte: 1.5 } }, 't.double >= $1::double precision', 1.5],
    [{ text: { $gt: 'a', $lt: 'b' } }, '(t.text > $1::text AND t.text < $2::text)', 'a', 'b'],
    [{ boolean: { $ne: true } }, '(t.boolean = $1::boolean) IS NOT TRUE', true],
    [{ date: '2024-01-31' }, 't.date = $1::date', '2024-01-31'],
    [
      { datetime: { $lt: '2024-01-31T02:00:00+02:00' } },
      't.datetime < $1::timestamptz',
      '2024-01-31T00:00:00.000Z',
    ],
    [{ text: null }, 't.text IS NULL'],
    [{ text: { $gte: null } }, 't.text IS NULL'],
    [{ integer: { $in: [1, 'x', 2] } }, 't.integer = ANY($1::bigint[])', [1, 2]],
    [{ integer: { $in: [1, null] } }, '(t.integer = ANY($1::bigint[]) OR t.integer IS NULL)', [1]],
    [{ integer: { $nin: [] } }, '(t.integer = ANY($1::bigint[])) IS NOT TRUE', []],
    [{ integer: { $not: { $gt: 5 } } }, '(t.integer > $1::bigint) IS NOT TRUE', 5],
    [
      { $nor: [{ integer: 1 }, { text: 'a' }] },
      '(t.integer = $1::bigint OR t.text = $2::text) IS NOT TRUE',
      1,
      'a',
    ],
    [{ integer: { $exists: true } }, 'TRUE'],
    [{ integer: { $exists: false } }, '(TRUE) IS NOT TRUE'],
    [{ text: { $regex: '^a' } }, 't.text COLLATE "C" ~ $1::text', '(?s)^a'],
    [{ text: { $regex: 'a', $options: 'i' } }, 't.text COLLATE "C" ~ $1::text', '(?s)[Aa]'],
    [{ integer: { $regex: 'a' } }, 'FALSE'],
    [{ integer: { $search: 'a' } }, 'FALSE'],
    [{ datetime: { $type: 'date' } }, 't.datetime IS NOT NULL'],
    [{ datetime: { $type: 'string' } }, 'FALSE'],
    [
      { $search: '5%_\\' },
      `(${folded('t.text')} LIKE /* planned each time */ ${folded('$1::text')} OR ${folded('t.other')} LIKE /* planned each time */ ${folded('$1::text')})`,
      '%5\\%\\_\\\\%',
    ],
    [{ _id: 'x' }, 't._id = $1::uuid', null],
  ])('%j', (filter, ...expected) => {
    expect(compiled(filter)).toEqual(expected);
  });
});

describe('jsonb is searched by jsonpath', () => {
  it.each<[unknown, string, ...unknown[]]>([
    [{ a: 1 }, 't.x @@ $1::jsonpath', '$."a" == 1'],
    [{ 'a.b': { $gt: 'é' } }, 't.x @@ $1::jsonpath', '$."a"."b" > "é"'],
    [{ 'json.k': true }, `coalesce(t.json, 'null'::jsonb) @@ $1::jsonpath`, '$."k" == true'],
    [{ array: 'red' }, `coalesce(t.array, 'null'::jsonb) @@ $1::jsonpath`, '$ == "red"'],
    [{ a: { $exists: true } }, 't.x @@ $1::jsonpath', 'exists($."a")'],
    [{ 'integer.k': 1 }, 'NULL::jsonb @@ $1::jsonpath', '$."k" == 1'],
    [
      { a: { k: 1 } },
      'EXISTS (SELECT FROM jsonb_path_query(t.x, $1::jsonpath) AS e1(v) WHERE e1.v IN (SELECT jsonb_array_elements($2::jsonb)))',
      '$."a"[*]',
      '[{"k":1}]',
    ],
  ])('%j', (filter, ...expected) => {
    expect(compiled(filter)).toEqual(expected);
  });
});

it('gives one text for filters of one shape, also if an operand can match nothing', () => {
  const text = (filter: unknown) => compiled(filter)[0];
  expect(text({ integer: 1 })).toBe(text({ integer: 1.5 }));
  expect(text({ integer: 1 })).toBe(text({ integer: 'x' }));
  expect(text({ integer: { $in: [1, 2] } })).toBe(text({ integer: { $in: [] } }));
  expect(text({ a: 1 })).toBe(text({ zzz: 'x' }));
  expect(text({ a: { $in: [1] } })).toBe(text({ a: { $in: ['x', 2, true] } }));
});

it('refuses an unreadable date with the message of its column type', () => {
  expect(() => compiled({ datetime: { $gt: 'soon' } })).toThrow(
    "'soon' is not an ISO 8601 date-time with offset",
  );
  expect(() => compiled({ date: { $in: ['2024-01-01', '2024-02-30'] } })).toThrow(
    "'2024-02-30' is not a calendar date",
  );
});
