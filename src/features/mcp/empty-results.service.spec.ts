import { expect, it } from 'vitest';
import type { ColumnDefinition } from '../../engine/storage/collection-shape.js';
import { filterHints } from './empty-results.service.js';

const column = (type: ColumnDefinition['type'], number: number) => ({ type, nullable: true, number });
const SHAPE = {
  columns: {
    amount: column('double', 1),
    title: column('text', 2),
    paid: column('boolean', 3),
    notes: column('json', 4),
  },
};
const hints = (filter: unknown, fields: string[] = []) => filterHints(filter, fields, SHAPE, ['city']);

it.each<[object, RegExp]>([
  [{ ammount: { $gt: 3 } }, /^"ammount" is not a column.* Did you mean "amount"\?$/],
  [{ $and: [{ $or: [{ titel: 'x' }] }] }, /Did you mean "title"\?$/],
  [{ 'citty.zip': 1 }, /^"citty" .* Did you mean "city"\?$/],
  [{ zzzzzz: 1 }, /none of the latest records has this field\.$/],
  [{ amount: { gt: 3 } }, /Operators begin with \$: \{"amount": \{"\$gt": …\}\}/],
  [{ amount: 'ten' }, /^"amount" is a column of type double, and "ten" is not of this type/],
  [{ amount: { $gte: '3' } }, /column of type double, and "3"/],
  [{ amount: { $not: { $lt: '3' } } }, /column of type double/],
  [{ amount: { $in: ['3', '4'] } }, /column of type double/],
  [{ paid: 'yes' }, /column of type boolean/],
  [{ title: 7 }, /column of type text, and 7/],
])('%j gets a hint that names the mistake', (filter, expected) => {
  expect(hints(filter)).toEqual([expect.stringMatching(expected)]);
});

it.each([
  { filter: { amount: { $gt: 3 } } },
  { filter: { amount: null } },
  { filter: { amount: { $exists: true } } },
  { filter: { amount: { $nin: ['x'] } } },
  { filter: { city: 7 } },
  { filter: { 'city.x': 7 } },
  { filter: { _id: 'x' } },
  { filter: { notes: { gt: 3, other: 1 } } },
  { filter: { 'notes.gt': 1 } },
  { filter: { notes: 'x' } },
  { filter: { title: { $regex: '^a' } } },
  { filter: { created_at: { $gt: '2026-01-01T00:00:00Z' } } },
  { filter: { _created_by: '01a22423-5b9d-7b32-925c-c6745c0101cc', _updated_by: null } },
  { filter: {} },
  { filter: undefined },
])('$filter gets no hint', ({ filter }) => {
  expect(hints(filter)).toEqual([]);
});

it('names the fields that the request uses besides the filter', () => {
  expect(hints({}, ['titel'])).toEqual([expect.stringContaining('Did you mean "title"?')]);
});

it('gives at most five hints, each only once and short', () => {
  const filter = { $or: Array.from({ length: 500 }, (_, n) => ({ [`${'x'.repeat(200)}${n % 40}`]: 1 })) };
  const given = hints(filter);
  expect(given.length).toBeLessThanOrEqual(5);
  for (const hint of given) expect(hint.length).toBeLessThan(200);
});

it('explains at most five unknown fields, also when their hints are equal', () => {
  // The first 60 characters of the first names are equal, so their hints are too.
  const names = [...Array.from({ length: 5 }, (_, n) => `${'x'.repeat(60)}${n}`), 'ammount'];
  expect(hints({ $or: names.map(name => ({ [name]: 1 })) })).toEqual([expect.stringContaining('"xxx')]);
});

it('skips conditions on an unknown field that has a hint already', () => {
  const filter = { $or: [...Array.from({ length: 10 }, (_, n) => ({ ammount: n })), { titel: 'x' }] };
  expect(hints(filter)).toEqual([
    expect.stringContaining('Did you mean "amount"?'),
    expect.stringContaining('Did you mean "title"?'),
  ]);
});

it.each([64, 255])(
  'explains 50 unknown fields of %i characters beside 1,500 fields of that length',
  length => {
    const stored = Array.from({ length: 1_500 }, (_, n) => `${n}`.padStart(length, 'a'));
    const filter = { $or: Array.from({ length: 50 }, (_, n) => ({ [`${n}`.padEnd(length, 'b')]: 1 })) };
    expect(filterHints(filter, [], SHAPE, stored)).toHaveLength(5);
  },
);
