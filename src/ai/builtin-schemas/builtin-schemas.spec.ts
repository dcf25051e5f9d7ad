import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { parseColumns, parseIndexes } from '../../collections/schema/parse-schema.js';
import { COLUMN_TYPES } from '../../columns/index.js';
import type { SuggestedSchema } from '../schema-suggester.js';
import { BuiltinSchemas } from './builtin-schemas.js';

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
  it('is one that createCollection takes, whatever the words', async () => {
    await fc.assert(
      fc.asyncProperty(fc.oneof(words, fc.string({ unit: 'binary', maxLength: 200 })), async description =>
        requireCreatable(await schemas.suggest(description, [])),
      ),
      { numRuns: 2_000 },
    );
  });

  it('is one that takes every sample it was made from', async () => {
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
