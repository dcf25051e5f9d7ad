import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { TIMES } from '../../../../test/harness/dice.js';
import { COLUMN_TYPES } from '../../../engine/columns/index.js';
import { parseColumns, parseIndexes } from '../../collections/schema/parse-schema.js';
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
      { numRuns: 400 * TIMES },
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
      { numRuns: 400 * TIMES },
    );
  });
});

const columnOf = async (samples: readonly Sample[], thing: string[] = []) =>
  (await inferredColumns(samples, thing))[0];

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
  ])('of %j is %s', async (values, type) => {
    expect((await columnOf(values.map(value => ({ v: value }))))?.type).toBe(type);
  });

  it('is decimal if the name is that of a measure, because a later value may have decimals', async () => {
    expect((await columnOf([{ price: 10 }, { price: 20 }]))?.type).toBe('double');
    expect((await columnOf([{ age: 10 }, { age: 20 }]))?.type).toBe('integer');
  });

  it('is guessed from the name of the column if no sample has a value', async () => {
    expect((await columnOf([{ born_on: null }]))?.type).toBe('date');
  });
});

/** Names that differ in punctuation only, each with one letter. */
const punctuated = (count: number, from = 0) =>
  Array.from({ length: count }, (_, n) =>
    [...(from + n).toString(5)].reduce((name, digit) => name + '!#%+&'[Number(digit)], 'a'),
  );

describe('large samples', () => {
  it('get their columns in time linear in the number of names, also if all names share one column', async () => {
    // Copying the values of a column for every name would take hours.
    const samples = Array.from({ length: 30 }, (_, n) =>
      Object.fromEntries(punctuated(20_000, n * 20_000).map(name => [name, n])),
    );
    const { properties } = await schemas.suggest('things', samples);
    expect(properties).toEqual({ a: { type: 'integer', nullable: true } });
  });

  it('get columns that accept the values of a column name after any number of replaced names', async () => {
    const names = punctuated(20_000);
    const sample = { ...Object.fromEntries(names.map(name => [name, 1])), a: 'text', b: 2 };
    expect(await inferredColumns(Array(100).fill(sample), [])).toMatchObject([
      { name: 'a', type: 'json' },
      { name: 'b', type: 'integer', nullable: false },
    ]);
  });

  it('get at most as many columns as a collection can have', async () => {
    const sample = Object.fromEntries(Array.from({ length: 50_000 }, (_, n) => [`Field ${n}`, n]));
    const columns = await inferredColumns([sample], []);
    expect([columns.length, columns.at(-1)?.name]).toEqual([500, 'field_499']);
  });
});

describe('a column of samples', () => {
  it('is nullable unless every one of several samples has a value', async () => {
    expect((await columnOf([{ a: 1 }, { a: 2 }]))?.nullable).toBe(false);
    expect((await columnOf([{ a: 1 }, { a: null }]))?.nullable).toBe(true);
    expect((await columnOf([{ a: 1 }, {}]))?.nullable).toBe(true);
    expect((await columnOf([{ a: 1 }]))?.nullable).toBe(true);
    expect((await columnOf([{ a: 1, 'a!': 2 }, {}]))?.nullable).toBe(true);
    expect((await columnOf([{ a: null, 'a!': 2 }, { a: 1 }]))?.nullable).toBe(false);
  });

  it('is unique if its name and all its values indicate it', async () => {
    expect((await columnOf([{ email: 'a' }, { email: 'b' }]))?.unique).toBe(true);
    expect((await columnOf([{ email: 'a' }, { email: 'a' }]))?.unique).toBe(false);
    expect((await columnOf([{ email: 'a' }, {}]))?.unique).toBe(false);
    expect((await columnOf([{ title: 'a' }, { title: 'b' }]))?.unique).toBe(false);
    expect((await columnOf([{ customer_id: 1 }, { customer_id: 2 }], ['orders']))?.unique).toBe(false);
    expect((await columnOf([{ order_id: 1 }, { order_id: 2 }], ['orders']))?.unique).toBe(true);
    expect((await columnOf([{ id: 1.5 }, { id: 2.5 }]))?.unique).toBe(false);
    expect((await columnOf([{ id: 'x'.repeat(5000) }, { id: 'y' }]))?.unique).toBe(false);
  });

  it('has a valid column name; system fields are left out', async () => {
    const names = await inferredColumns(
      [{ 'First Name': 1, _id: 1, created_at: 1, 日本: 1, Üben: 1, ok_1: 1, '9a': 1 }],
      [],
    );
    expect(names.map(({ name }) => name)).toEqual(['first_name', 'uben', 'ok_1', '_9a']);
  });
});
