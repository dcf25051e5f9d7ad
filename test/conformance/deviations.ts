import type { JsonObject } from '../../src/base/kernel/json.js';

/** A known difference from MongoDB's answer, with a case that shows it. */
export interface Deviation {
  readonly operators: string;
  readonly what: string;
  readonly reason: string;
  readonly filter: JsonObject;
  /** The case uses typed columns: `i` integer, `s` text, `d` date, `t` datetime. */
  readonly typed?: true;
  readonly document: JsonObject;
  readonly mongodb: Answer;
  readonly here: Answer;
}

export type Answer = 'found' | 'not found' | 'refused';

export const DEVIATIONS: readonly Deviation[] = [
  {
    operators: 'equality, `$eq` `$ne` `$in` `$nin` `$all`',
    what: 'The order of fields does not matter when whole objects are compared.',
    reason: 'jsonb does not keep the order of fields. Both libraries do the same.',
    filter: { a: { x: 1, y: 2 } },
    document: { a: { y: 2, x: 1 } },
    mongodb: 'not found',
    here: 'found',
  },
  {
    operators: '`$gt` `$gte` `$lt` `$lte`',
    what: 'An object or an array is refused as operand.',
    reason:
      "MongoDB compares objects field by field in their order, which jsonb does not keep. So no answer would be MongoDB's.",
    filter: { a: { $gt: { x: 1 } } },
    document: { a: { x: 2 } },
    mongodb: 'found',
    here: 'refused',
  },
  {
    operators: '`$exists`',
    what: 'A typed column exists in every record.',
    reason: 'A typed column that was never written reads as null; SQL cannot tell the two apart.',
    filter: { i: { $exists: true } },
    typed: true,
    document: {},
    mongodb: 'not found',
    here: 'found',
  },
  {
    operators: '`$type`',
    what: 'A whole number is `int` or `long` depending on its size; any other number is `double`.',
    reason: 'JSON has one type of number: once stored, 5 and 5.0 are the same text.',
    filter: { a: { $type: 'double' } },
    document: { a: 5.0 },
    mongodb: 'found',
    here: 'not found',
  },
  {
    operators: '`$type`',
    what: 'Values of `date` and `datetime` columns are `"date"`, although a client reads a string.',
    reason: 'They are dates and compare as such. In MongoDB a string that looks like a date is a string.',
    filter: { d: { $type: 'string' } },
    typed: true,
    document: { d: '2024-02-29' },
    mongodb: 'found',
    here: 'not found',
  },
  {
    operators: '`$regex` `$search`',
    what: 'No pattern matches a `date` or `datetime` column.',
    reason: 'These columns do not hold text. Use `$gte` and `$lt`.',
    filter: { d: { $regex: '^2024' } },
    typed: true,
    document: { d: '2024-02-29' },
    mongodb: 'found',
    here: 'not found',
  },
  {
    operators: '`$regex`',
    what: 'Syntax of PCRE2 that PostgreSQL lacks is refused by name: `\\p{…}`, `\\R`, `\\X`, atomic groups, possessive quantifiers, recursion, conditions, and back references without case.',
    reason: 'Patterns run in PostgreSQL, under the statement timeout. All other syntax is translated.',
    filter: { a: { $regex: '^\\p{L}' } },
    document: { a: 'é' },
    mongodb: 'found',
    here: 'refused',
  },
  {
    operators: 'comparison of `datetime`',
    what: 'A day means its first instant in UTC.',
    reason: 'MongoDB has no type for days. Here the operand is JSON, and people write days.',
    filter: { t: '2024-02-29' },
    typed: true,
    document: { t: '2024-02-29T00:00:00.000Z' },
    mongodb: 'not found',
    here: 'found',
  },
  {
    operators: 'comparison of `date`',
    what: 'A date-time is refused as operand, and so is a text that is not a date.',
    reason: 'Removing the time would silently compare something else.',
    filter: { d: '2024-02-29T10:00:00Z' },
    typed: true,
    document: { d: '2024-02-29' },
    mongodb: 'not found',
    here: 'refused',
  },
  {
    operators: 'all',
    what: '`$comment`, `$text`, `$expr`, `$where`, `$jsonSchema`, `$rand` and geospatial operators are refused by name.',
    reason:
      'They run code, read beyond the record, or need indexes that do not exist here. Use `$search` for text.',
    filter: { a: 1, $comment: 'why' },
    document: { a: 1 },
    mongodb: 'found',
    here: 'refused',
  },
];
