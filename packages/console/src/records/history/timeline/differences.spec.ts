import { expect, it } from 'vitest';
import { differencesOf } from './differences.js';

const older = { record: { title: 'Emma', year: 1815 }, changed: ['title', 'year'] };

it('has the values before and after of each field that the write changed', () => {
  const version = { record: { title: 'Emma', year: 1816, lent: true }, changed: ['year', 'lent'] };
  expect(differencesOf(version, older)).toEqual([
    { field: 'year', after: 1816, before: { value: 1815 } },
    { field: 'lent', after: true, before: { value: undefined } },
  ]);
});

it('tells a field that was removed from one that is null', () => {
  const version = { record: { title: null }, changed: ['title', 'year'] };
  expect(differencesOf(version, older)).toEqual([
    { field: 'title', after: null, before: { value: 'Emma' } },
    { field: 'year', after: undefined, before: { value: 1815 } },
  ]);
});

it('has no values before if the version before is not known', () => {
  expect(differencesOf(older, undefined).map(({ before }) => before)).toEqual([undefined, undefined]);
});

it('takes no value from the prototype of a record', () => {
  expect(differencesOf({ record: {}, changed: ['constructor'] }, older)).toEqual([
    { field: 'constructor', after: undefined, before: { value: undefined } },
  ]);
});
