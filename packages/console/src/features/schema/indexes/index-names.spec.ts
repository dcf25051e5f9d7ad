import { expect, it } from 'vitest';
import { indexableNames } from './index-names.js';

const SCHEMA = {
  title: { type: 'text', nullable: true },
  year: { type: 'integer', nullable: true },
} as const;

it.each([
  ['ordered', ['title', 'year', 'address.city']],
  ['search', ['title', 'address.city']],
  ['unique', ['title', 'year']],
] as const)('an index of the kind %s can cover %j', (kind, names) => {
  expect(indexableNames(kind, SCHEMA, ['address.city'])).toEqual(names);
});
