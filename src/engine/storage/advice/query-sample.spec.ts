import { expect, it } from 'vitest';
import { parseFilter, parseSort } from '../../filter/index.js';
import type { CollectionShape } from '../collection-shape.js';
import { querySample } from './query-sample.js';

const column = (type: string, number: number) => ({ type, nullable: true, number });
const SHAPE = {
  columns: {
    name: column('text', 1),
    year: column('integer', 2),
    seen: column('datetime', 3),
    tags: column('array', 4),
  },
} as unknown as CollectionShape;

const sampleOf = (filter?: object, sort?: object) =>
  querySample(SHAPE, { filter: filter && parseFilter(filter), sort: parseSort(sort) });

it.each<[object, object]>([
  [{ year: 1843 }, { year: 'integer' }],
  [{ year: null }, { year: 'integer' }],
  [{ seen: { $gte: '2026-01-01', $lt: '2027-01-01' } }, { seen: { $gte: 'datetime', $lt: 'datetime' } }],
  [{ name: { $in: ['Ada', 'Grace'] } }, { name: { $in: ['text'] } }],
  [{ name: { $ne: 'Ada' } }, { name: { $ne: 'text' } }],
  [{ name: { $nin: ['Ada'] } }, { name: { $nin: ['text'] } }],
  [{ name: { $regex: '^Ada', $options: 'i' } }, { name: { $regex: 'text' } }],
  [{ name: { $exists: false } }, { name: { $exists: false } }],
  [{ name: { $not: { $regex: 'Ada' } } }, { name: { $not: { $regex: 'text' } } }],
  [
    { 'address.city': 'Paris', size: 1.5, count: 2, open: true },
    { 'address.city': 'text', size: 'double', count: 'integer', open: 'boolean' },
  ],
  [
    { address: { city: 'Paris' }, list: [1], gone: null },
    { address: 'json', list: 'array', gone: 'json' },
  ],
  [{ tags: { $elemMatch: { colour: 'red' } } }, { tags: { $elemMatch: { colour: 'text' } } }],
  [{ tags: { $elemMatch: { $gt: 3 } } }, { tags: { $elemMatch: { $gt: 'integer' } } }],
  [
    { tags: { $size: 3 }, year: { $mod: [4, 1] } },
    { tags: { $size: 'integer' }, year: { $mod: ['integer', 'integer'] } },
  ],
  [{ year: { $bitsAllSet: 6 } }, { year: { $bitsAllSet: 'integer' } }],
  [{ year: { $type: 'int' } }, { year: { $type: ['int'] } }],
  [{ $or: [{ name: 'Ada' }, { year: 1 }] }, { $or: [{ name: 'text' }, { year: 'integer' }] }],
  [{ $nor: [{ name: 'Ada' }] }, { $nor: [{ name: 'text' }] }],
  [{ $and: [{ name: 'Ada' }, { name: 'Grace' }] }, { $and: [{ name: 'text' }, { name: 'text' }] }],
  [{ $search: 'Ada' }, { $search: 'text' }],
])('replaces the values of %j by the names of their types', (filter, sample) => {
  expect(sampleOf(filter)).toEqual({ filter: sample, sort: null });
});

it('keeps the directions of a sort, and leaves out what was not sent', () => {
  expect(sampleOf(undefined, { year: -1, name: 1 })).toEqual({ filter: null, sort: { year: -1, name: 1 } });
  expect(Object.keys(sampleOf(undefined, { year: -1, name: 1 }).sort ?? {})).toEqual(['year', 'name']);
});
