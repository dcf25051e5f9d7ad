import { describe, expect, it } from 'vitest';
import { parseFilter, parseSort } from '../../filter/index.js';
import type { CollectionShape, IndexDefinition } from '../collection-shape.js';
import { adviceFor } from './advice.js';

const column = (type: string, number: number) => ({ type, nullable: true, number });
const SHAPE = {
  id: '01890000-0000-7000-8000-000000000000',
  orgId: '01890000-0000-7000-8000-000000000001',
  version: 1,
  mayExpire: false,
  columns: {
    name: column('text', 1),
    year: column('integer', 2),
    price: column('double', 3),
    tags: column('array', 4),
    details: column('json', 5),
  },
} as CollectionShape;

interface Asked {
  readonly filter?: object;
  readonly sort?: object;
  readonly existing?: IndexDefinition[];
  /** Records read, records that match, and records of the page. */
  readonly rows?: readonly [number, number, number];
  readonly isAggregation?: boolean;
}

function advice({ filter, sort, existing = [], rows = [100_000, 50, 20], isAggregation }: Asked) {
  const [readRows, matchedRows, returnedRows] = rows;
  const asked = { filter: filter && parseFilter(filter), sort: isAggregation ? undefined : parseSort(sort) };
  return adviceFor(SHAPE, asked, existing, { readRows, matchedRows, returnedRows })?.properties;
}

describe('advice for a read', () => {
  it.each<[string, Asked, string[] | undefined]>([
    ['one equality', { filter: { year: 1 } }, ['year']],
    ['equality with null', { filter: { year: null } }, ['year']],
    ['several equalities', { filter: { year: 1, name: 'a' } }, ['year', 'name']],
    ['equality in $and', { filter: { $and: [{ year: 1 }, { name: { $eq: 'a' } }] } }, ['year', 'name']],
    ['equality before the sort', { filter: { year: 1 }, sort: { name: 1 } }, ['year', 'name']],
    [
      'equality, sort, range',
      { filter: { year: 1, price: { $gt: 1 } }, sort: { name: 1 } },
      ['year', 'name', 'price'],
    ],
    [
      'a sort by the field of the equality',
      { filter: { year: 1 }, sort: { year: 1, name: 1 } },
      ['year', 'name'],
    ],
    [
      'a range that is also the sort',
      { filter: { price: { $gt: 1 } }, sort: { price: -1, name: -1 } },
      ['price', 'name'],
    ],
    ['the id at the end of a sort', { sort: { name: 1, _id: 1, year: 1 } }, ['name']],
    ['equality with a list', { filter: { tags: 'a' } }, ['tags']],
    ['equality inside a document', { filter: { 'details.city': 'Paris' } }, ['details.city']],
    ['a path and a column', { filter: { 'details.city': 'Paris', year: 1 } }, ['details.city', 'year']],
    ['a range inside a document', { filter: { 'details.size': { $gt: 1 } } }, ['details.size']],
    ['a sort by a path', { sort: { 'details.size': -1 } }, ['details.size']],
    ['a path below a number', { filter: { 'year.month': 1 } }, undefined],
    ['a pattern at a path', { filter: { 'details.city': { $regex: '^Paris' } } }, undefined],
    ['a search at a path', { filter: { 'details.city': { $search: 'ari' } } }, ['details.city']],
    ['a flexible field', { filter: { city: 'Paris' } }, ['city']],
    ['a search in all texts', { filter: { $search: 'ada' } }, ['name']],
    ['a search in one text', { filter: { name: { $search: 'ada' }, year: 1 } }, ['name']],
    ['a time of the service', { sort: { created_at: -1 } }, undefined],
    ['a negation', { filter: { year: { $ne: 1 } } }, undefined],
    ['alternatives', { filter: { $or: [{ year: 1 }, { name: 'a' }] } }, undefined],
    ['a pattern of alternatives', { filter: { name: { $regex: '^ab|cd' } } }, undefined],
    ['a pattern that ignores case', { filter: { name: { $regex: '^abc', $options: 'i' } } }, undefined],
    ['a pattern that begins anywhere', { filter: { name: { $regex: 'abc' } } }, undefined],
  ])('%s', (_, asked, properties) => {
    expect(advice(asked)).toEqual(properties);
  });

  it('is not given for a read that is fast, or needs what it reads', () => {
    expect(advice({ filter: { year: 1 }, rows: [999, 1, 1] })).toBeUndefined();
    expect(advice({ filter: { year: 1 }, rows: [1000, 1, 1] })).toEqual(['year']);
    expect(advice({ filter: { year: 1 }, rows: [1000, 200, 100] })).toBeUndefined();
    expect(advice({ filter: { year: 1 }, rows: [1000, 0, 0] })).toEqual(['year']);
  });

  it('counts what an aggregation must read, not its few results', () => {
    const filter = { year: { $gt: 1 } };
    expect(advice({ filter, isAggregation: true, rows: [100_000, 90_000, 1] })).toBeUndefined();
    expect(advice({ filter, isAggregation: true, rows: [100_000, 900, 1] })).toEqual(['year']);
  });

  it('puts a selective range before a sort, and a sort before a range that matches much', () => {
    const asked = { filter: { price: { $gt: 1 } }, sort: { name: 1 } };
    expect(advice({ ...asked, rows: [100_000, 50, 20] })).toEqual(['price']);
    expect(advice({ ...asked, rows: [100_000, 90_000, 20] })).toEqual(['name', 'price']);
  });

  it('is not given for an index that is there, alone or as the beginning of a longer one', () => {
    const filter = { year: 1, name: 'a' };
    expect(advice({ filter, existing: [{ properties: ['year'] }] })).toEqual(['year', 'name']);
    expect(advice({ filter, existing: [{ properties: ['year', 'name', 'price'] }] })).toBeUndefined();
    expect(advice({ filter, existing: [{ properties: ['name', 'year'] }] })).toBeUndefined();
    expect(advice({ filter, existing: [{ properties: ['price', 'year', 'name'] }] })).toEqual([
      'year',
      'name',
    ]);
  });
});
