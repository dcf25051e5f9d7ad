import { describe, expect, it } from 'vitest';
import { joined, render, sql } from '../../base/sql/index.js';
import { COLUMN_TYPES, id } from '../columns/index.js';
import { compileFilter } from './compile.js';
import { parseFieldPath } from './field-path.js';
import { after, positionOf } from './keyset.js';
import { parseFilter } from './parse.js';
import { parseProjection } from './projection.js';
import { fieldExpression, type ShapedColumn, type TableShape } from './scope.js';
import { orderBy, parseSort, sortKeys } from './sort.js';

const COLUMNS = new Map<string, ShapedColumn>([
  ['s', { sql: sql`t.c1`, type: COLUMN_TYPES.text }],
  ['_id', { sql: sql`t._id`, type: id }],
]);
const shape: TableShape = { column: name => COLUMNS.get(name), flexible: sql`t.x`, textColumns: [sql`t.c1`] };

const HOSTILE = [
  `'; DROP TABLE t; --`,
  `" || true || $"`,
  `a" == 1 || true || $."b`,
  `\\" == 1 || true`,
  `$1`,
  `\${x}`,
  `{a,b}`,
  `"}'::jsonb)`,
  `***:x`,
  `constructor`,
];

/** Invalid names are refused; all others must not appear in the SQL text. */
const NAMES = HOSTILE.filter(name => !name.startsWith('$') && !name.includes('.'));

describe('hostile text never reaches SQL', () => {
  it.each(HOSTILE)('as a value: %s', value => {
    const filter = {
      $and: [
        { s: value },
        { a: { $ne: value } },
        { a: { $in: [value, { k: value }] } },
        { a: { $regex: `\\Q${value}`, $options: 'i' } },
        { s: { $search: value } },
        { a: { $elemMatch: { $gt: value } } },
      ],
    };
    const textOf = (json: unknown) => render(compileFilter(parseFilter(json), shape)).text;
    const text = textOf(filter);
    expect(text).not.toContain(value === '$1' ? 'never' : value);
    const harmless = textOf(
      JSON.parse(
        JSON.stringify(filter)
          .replaceAll(JSON.stringify(value), '"v"')
          .replaceAll(JSON.stringify(`\\Q${value}`), '"v"'),
      ),
    );
    expect(text).toBe(harmless);
  });

  it.each(NAMES)('as a field name: %s', name => {
    const textFor = (field: string) => {
      const keys = sortKeys(parseSort({ [field]: -1 }), shape);
      const parts = [
        compileFilter(
          parseFilter({ [field]: 1, [`${field}.0.x`]: null, a: { $elemMatch: { [field]: 1 } } }),
          shape,
        ),
        orderBy(keys),
        positionOf(keys),
        after(keys, ['2x', '0190a000-0000-7000-8000-000000000000'], sql`r`),
        fieldExpression(parseFieldPath(field), shape).sql,
      ];
      return render(joined(parts)).text;
    };
    expect(textFor(name)).toEqual(textFor('harmless'));
  });

  it('quotes names inside a jsonpath so that they cannot end it', () => {
    const { values } = render(compileFilter(parseFilter({ 'a" == 1 || true || $b': 1 }), shape));
    expect(values).toEqual(['$."a\\" == 1 || true || $b" == 1']);
  });
});

describe('names that no field can have are refused', () => {
  it.each(['', 'a..b', '.a', 'a.', 'a.$b', 'a.__proto__.b', '__proto__', 'a\0b', '\ud800', 'x'.repeat(256)])(
    '%j',
    name => {
      const json = JSON.parse(`{${JSON.stringify(name)}: 1}`);
      expect(() => parseFilter(json)).toThrow(/field|unknown operator/);
      expect(() => parseSort(json)).toThrow(/field/);
      expect(() => parseProjection(json)).toThrow(/field/);
      expect(() => parseProjection([name])).toThrow(/field/);
    },
  );

  it.each(['$where', '$1', '$'])('%j, which resembles an operator', name => {
    expect(() => parseFilter({ [name]: 1 })).toThrow(/operator/);
    expect(() => parseSort({ [name]: 1 })).toThrow(/must not begin with \$/);
  });

  it('also inside operands', () => {
    expect(() => parseFilter({ a: { b: { $gt: 1 } } })).toThrow(
      'a.b.$gt: a field name must not begin with $',
    );
    expect(() => parseFilter({ a: { $in: [{ $regex: 'x' }] } })).toThrow(/must not begin with \$/);
    expect(() => parseFilter(JSON.parse('{"a": {"$eq": {"__proto__": 1}}}'))).toThrow(
      /__proto__ is not allowed/,
    );
  });

  it.each(['a\0', '\udc00'])('and text that PostgreSQL cannot hold: %j', text => {
    expect(() => parseFilter({ a: text })).toThrow(/NUL|well-formed/);
    expect(() => parseFilter({ a: { $regex: text } })).toThrow(/NUL|well-formed/);
    expect(() => parseFilter({ $search: text })).toThrow(/NUL|well-formed/);
    expect(() => parseFilter({ a: { $gt: JSON.parse('1e999') } })).toThrow(/out of range/);
  });
});
