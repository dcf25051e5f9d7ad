import { describe, expect, it } from 'vitest';
import {
  Cte,
  identifier,
  joined,
  literal,
  param,
  render,
  type Sql,
  sql,
  typeName,
  withCtes,
} from './index.js';

const text = (query: Sql) => render(query).text;

describe('a placeholder in SQL', () => {
  it.each([
    "'; DROP TABLE x; --",
    1,
    null,
    undefined,
    true,
    ['a'],
    { shape: {}, parts: [], strings: ['x'] },
    (() => sql`SELECT 1`) as unknown,
  ])('refuses %j at run time, in a template and in a list', value => {
    expect(() => sql`SELECT ${value as Sql}`).toThrow(
      'accepts only identifier(), literal(), param() or other SQL',
    );
    expect(() => joined([value as Sql])).toThrow(
      'accepts only identifier(), literal(), param() or other SQL',
    );
  });

  it('refuses a string at compile time as well', () => {
    // @ts-expect-error a string is not SQL
    expect(() => sql`SELECT ${'1'}`).toThrow();
    // @ts-expect-error only the listed separators are allowed
    expect(() => joined([sql`1`], '; DROP TABLE x; --')).toThrow('not an allowed separator');
    // @ts-expect-error only the listed types of SQL are allowed
    expect(() => param(1, 'integer; DROP TABLE x')).toThrow('not a type name');
    // @ts-expect-error the same for a type without a value
    expect(() => typeName("text'")).toThrow('not a type name');
  });
});

it('is not converted to a string implicitly', () => {
  expect(() => `${sql`SELECT 1`}`).toThrow('a statement is not a string');
  expect(() => `a${String(identifier('t'))}`).toThrow('a statement is not a string');
});

describe('an identifier', () => {
  it.each([
    ['c12', 'c12'],
    ['_id', '_id'],
    ['org_00', 'org_00'],
    ['user', '"user"'],
    ['audit_events', 'audit_events'],
    ['current_user', '"current_user"'],
    ['Title', '"Title"'],
    ['a"; DROP TABLE x --', '"a""; DROP TABLE x --"'],
    ['$1', '"$1"'],
    ['__proto__', '__proto__'],
    ['\\', '"\\"'],
    ['naïve', '"naïve"'],
  ])('%j is written %s', (name, written) => {
    expect(text(identifier(name))).toBe(written);
  });

  it('is qualified by the names before it', () => {
    expect(text(identifier('pg_temp', 'merged'))).toBe('pg_temp."merged"');
  });

  it.each(['', 'a\0b', 'é'.repeat(32), 'x'.repeat(64)])(
    'is never %j, which PostgreSQL would cut or refuse',
    name => {
      expect(() => identifier(name)).toThrow('1 to 63 bytes');
    },
  );
});

describe('a literal', () => {
  it.each<[string | number | boolean, string]>([
    ["it's", "'it''s'"],
    ["\\'; DROP TABLE x; --", " E'\\\\''; DROP TABLE x; --'"],
    ['$1', "'$1'"],
    [5, '5'],
    [-5, '(-5)'],
    [true, 'true'],
  ])('%j is written %s', (value, written) => {
    expect(text(literal(value))).toBe(written);
  });

  it.each([Number.NaN, Number.POSITIVE_INFINITY, 'a\0b'])('is never %j', value => {
    expect(() => literal(value)).toThrow();
  });
});

describe('parameters', () => {
  it('are numbered by their position in the whole statement', () => {
    const [first, second] = [param('a', 'text'), param([1, 2], 'bigint[]')];
    const condition = sql`x = ${second}`;
    expect(render(sql`SELECT ${first} WHERE ${condition}`)).toEqual({
      text: 'SELECT $1::text WHERE x = $2::bigint[]',
      values: ['a', [1, 2]],
    });
    expect(text(sql`${condition} OR ${first}`)).toBe('x = $1::bigint[] OR $2::text');
  });

  it('have one number and are sent once, even if they are used several times', () => {
    const one = param(1, 'integer');
    const query = (other: Sql) => sql`SELECT ${one}, ${other}, ${one}`;
    expect(render(query(param(2, 'integer')))).toEqual({
      text: 'SELECT $1::integer, $2::integer, $1::integer',
      values: [1, 2],
    });
    // The same shape, but other places share a parameter.
    expect(render(query(one))).toEqual({
      text: 'SELECT $1::integer, $1::integer, $1::integer',
      values: [1],
    });
    expect(render(query(param(3, 'integer'))).values).toEqual([1, 3]);
  });
});

describe('SQL of one shape', () => {
  const query = (value: number, columns: string[], limit: number) =>
    sql`SELECT ${joined(columns.map(name => identifier(name)))} FROM t WHERE a > ${param(value, 'bigint')} LIMIT ${literal(limit)}`;

  it('has one text, made once, with the values of each statement', () => {
    const [one, other] = [query(1, ['c1', 'c2'], 5), query(2, ['c1', 'c2'], 5)];
    expect(other.shape).toBe(one.shape);
    expect(render(one)).toEqual({ text: 'SELECT c1, c2 FROM t WHERE a > $1::bigint LIMIT 5', values: [1] });
    expect(render(other).values).toEqual([2]);
  });

  it.each([
    ['another list', query(1, ['c1'], 5)],
    ['another identifier', query(1, ['c1', 'c3'], 5)],
    ['another literal', query(1, ['c1', 'c2'], 6)],
  ])('has another shape with %s', (_, changed) => {
    expect(changed.shape).not.toBe(query(1, ['c1', 'c2'], 5).shape);
  });

  it('has another shape with a parameter of another type, or a list with another separator', () => {
    expect(sql`${param(1, 'bigint')}`.shape).not.toBe(sql`${param(1, 'integer')}`.shape);
    const parts = [sql`a`, sql`b`];
    expect(joined(parts, ' AND ').shape).not.toBe(joined(parts, ' OR ').shape);
  });

  it('keeps its text after its shape was evicted from the cache', () => {
    const before = text(query(1, ['c1'], 7));
    const long = 'x'.repeat(1_000_000);
    for (let n = 0; n < 40; n++) render(sql`SELECT ${literal(`${n} ${long}`)}`);
    expect(text(query(1, ['c1'], 7))).toBe(before);
  });
});

describe('common table expressions', () => {
  const version = new Cte('current', sql`SELECT 1 WHERE ${param(1, 'integer')} = 1`, { materialized: true });
  const written = new Cte('written', sql`DELETE FROM t USING ${version} RETURNING id`);

  it('come before the query, and are referred to by name in other SQL', () => {
    expect(text(withCtes([version, written], sql`SELECT count(*) FROM ${written}`))).toBe(
      'WITH "current" AS MATERIALIZED (SELECT 1 WHERE $1::integer = 1),\n' +
        '"written" AS (DELETE FROM t USING "current" RETURNING id)\nSELECT count(*) FROM "written"',
    );
  });

  it('are found in the parts of the SQL that reads them', () => {
    expect(written.query.parts).toContain(version);
  });
});

it('a part is replaced everywhere, and the rest is unchanged', () => {
  const check = sql`SELECT 1 FROM a`;
  const untouched = sql`SELECT 2`;
  const query = sql`SELECT (${check}), ${joined([untouched, sql`(${check})`])}`;
  expect(text(query.replaced(check, sql`SELECT 1 FROM b`))).toBe(
    'SELECT (SELECT 1 FROM b), SELECT 2, (SELECT 1 FROM b)',
  );
  expect(untouched.replaced(check, sql`x`)).toBe(untouched);
});
