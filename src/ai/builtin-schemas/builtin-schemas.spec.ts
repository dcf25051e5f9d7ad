import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseColumns, parseIndexes } from '../../collections/schema/parse-schema.js';
import { COLUMN_TYPES } from '../../columns/index.js';
import type { Sample, SuggestedSchema } from '../schema-suggester.js';
import { BuiltinSchemas, inferredColumns } from './builtin-schemas.js';

const schemas = new BuiltinSchemas();

function requireCreatable({ name, properties, uniques }: SuggestedSchema): void {
  expect(name).toMatch(/^[A-Za-z0-9_-]{1,64}$/);
  parseIndexes('uniques', uniques, parseColumns(properties));
}

const words = fc
  .array(
    fc.constantFrom(
      ...[
        'with',
        'and',
        ',',
        ';',
        '\n',
        ':',
        '(',
        ')',
        'unique',
        'required',
        'in EUR',
        '(kg)',
        'number of',
        'email',
      ],
      ...[
        '_id',
        'created at',
        '__proto__',
        'constructor',
        '3D',
        '%',
        '$',
        'is',
        'date',
        'books',
        'é',
        '图',
        '-',
        '.',
      ],
    ),
    { maxLength: 30 },
  )
  .map(list => list.join(' '));

describe('a schema by rules', () => {
  it('is accepted by createCollection, whatever the words', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(words, fc.string({ unit: 'binary', maxLength: 200 })), async description =>
        requireCreatable(await schemas.suggest(description, [])),
      ),
      { numRuns: 2_000 },
    );
  });

  it('accepts every sample from which it was made', async () => {
    const value = fc.oneof(
      fc.jsonValue({ maxDepth: 2 }),
      fc.constantFrom('2026-01-31', '2026-01-31T10:00:00Z', '2026-02-30', 1.5, 2 ** 60, ['a']),
    );
    const name = fc.constantFrom(
      'id',
      'email',
      'First Name',
      'price',
      'a',
      'B',
      '_id',
      '9',
      'constructor',
      '日',
    );
    const samples = fc.array(fc.dictionary(name, value, { maxKeys: 6 }), { minLength: 1, maxLength: 6 });
    await fc.assert(
      fc.asyncProperty(samples, async records => {
        const suggested = await schemas.suggest('things', records);
        requireCreatable(suggested);
        for (const [column, { type, nullable }] of Object.entries(suggested.properties)) {
          for (const record of records) {
            const sent = Object.hasOwn(record, column) ? record[column] : undefined;
            if (sent !== undefined && sent !== null) expect(COLUMN_TYPES[type].accept(sent)).toBeDefined();
            else if (records.some(each => Object.hasOwn(each, column))) expect(nullable).toBe(true);
          }
        }
      }),
      { numRuns: 2_000 },
    );
  });
});

const typesOf = (...values: unknown[]) =>
  inferredColumns(
    values.map(value => ({ v: value })),
    [],
  )[0]?.type;
const columnOf = (samples: readonly Sample[], thing: string[] = []) => inferredColumns(samples, thing)[0];

describe('the type of a column', () => {
  it.each([
    [[true, false], 'boolean'],
    [[1, 2, -3], 'integer'],
    [[1, 2.5], 'double'],
    [[2 ** 53], 'double'],
    [['2026-01-31', '2024-02-29'], 'date'],
    [['2026-01-31T10:00:00Z', '2026-01-31T10:00:00+01:00'], 'datetime'],
    [['2026-01-31', '2026-01-31T10:00:00Z'], 'text'],
    [['2026-02-30'], 'text'],
    [['2026-01-31T10:00:00'], 'text'],
    [['7', '8'], 'text'],
    [['', 'a'], 'text'],
    [[['a'], []], 'array'],
    [[['a', 1]], 'json'],
    [[{ a: 1 }], 'json'],
    [[1, 'a'], 'json'],
    [[true, 1], 'json'],
    [[null, null], 'text'],
  ])('of %j is %s', (values, type) => {
    expect(typesOf(...values)).toBe(type);
  });

  it('is decimal if the name is that of a measure, because a later value may have decimals', () => {
    expect(columnOf([{ price: 10 }, { price: 20 }])?.type).toBe('double');
    expect(columnOf([{ age: 10 }, { age: 20 }])?.type).toBe('integer');
  });

  it('follows from the name if there is no value', () => {
    expect(columnOf([{ born_on: null }])?.type).toBe('date');
  });
});

describe('a column of samples', () => {
  it('is nullable unless every one of several samples has a value', () => {
    expect(columnOf([{ a: 1 }, { a: 2 }])?.nullable).toBe(false);
    expect(columnOf([{ a: 1 }, { a: null }])?.nullable).toBe(true);
    expect(columnOf([{ a: 1 }, {}])?.nullable).toBe(true);
    expect(columnOf([{ a: 1 }])?.nullable).toBe(true);
  });

  it('is unique if its name and all its values indicate it', () => {
    expect(columnOf([{ email: 'a' }, { email: 'b' }])?.unique).toBe(true);
    expect(columnOf([{ email: 'a' }, { email: 'a' }])?.unique).toBe(false);
    expect(columnOf([{ email: 'a' }, {}])?.unique).toBe(false);
    expect(columnOf([{ title: 'a' }, { title: 'b' }])?.unique).toBe(false);
    expect(columnOf([{ customer_id: 1 }, { customer_id: 2 }], ['orders'])?.unique).toBe(false);
    expect(columnOf([{ order_id: 1 }, { order_id: 2 }], ['orders'])?.unique).toBe(true);
    expect(columnOf([{ id: 1.5 }, { id: 2.5 }])?.unique).toBe(false);
    expect(columnOf([{ id: 'x'.repeat(5000) }, { id: 'y' }])?.unique).toBe(false);
  });

  it('has a valid column name; system fields are left out', () => {
    const names = inferredColumns(
      [{ 'First Name': 1, _id: 1, created_at: 1, 日本: 1, Üben: 1, ok_1: 1, '9a': 1 }],
      [],
    );
    expect(names.map(({ name }) => name)).toEqual(['first_name', 'uben', 'ok_1', '_9a']);
  });
});
