import { describe, expect, it } from 'vitest';
import { parseUpdate } from '../../engine/filter/update/index.js';
import type { CollectionShape } from '../../engine/storage/collection-shape.js';
import { layoutOf } from '../../engine/storage/records/record-layout.js';
import { sqlChanges, typedUpdate } from './update-records.service.js';

const SHAPE: CollectionShape = {
  id: '00000000-0000-7000-8000-000000000001',
  orgId: '00000000-0000-7000-8000-000000000002',
  version: 1,
  mayExpire: false,
  columns: {
    title: { type: 'text', nullable: true, number: 1 },
    year: { type: 'integer', nullable: true, number: 2 },
    price: { type: 'double', nullable: true, number: 3 },
    printed: { type: 'date', nullable: true, number: 4 },
    read_at: { type: 'datetime', nullable: true, number: 5 },
    details: { type: 'json', nullable: true, number: 6 },
    tags: { type: 'array', nullable: true, number: 7 },
  },
};
const now = new Date('2026-01-31T09:30:00.250Z');

function changes(json: object) {
  const layout = layoutOf(SHAPE);
  return sqlChanges(typedUpdate(parseUpdate(json), layout, now), layout);
}

describe('an update', () => {
  it.each<[object, object]>([
    [{}, {}],
    [
      { title: 'T', shelf: 1 },
      { columns: [{ column: 'title', change: 'set', value: 'T' }], flexible: { shelf: 1 } },
    ],
    [
      { $unset: { title: '', shelf: '' } },
      { columns: [{ column: 'title', change: 'set', value: null }], removed: ['shelf'] },
    ],
    [
      { $inc: { year: 1, price: 0.5 } },
      {
        columns: [
          { column: 'year', change: 'inc', value: 1 },
          { column: 'price', change: 'inc', value: 0.5 },
        ],
      },
    ],
    [
      { $mul: { price: 2 }, $min: { year: 3 } },
      {
        columns: [
          { column: 'price', change: 'mul', value: 2 },
          { column: 'year', change: 'min', value: 3 },
        ],
      },
    ],
    [{ $max: { price: 1 } }, { columns: [{ column: 'price', change: 'max', value: 1 }] }],
    [
      { $set: { details: { a: 1 }, tags: ['x'] } },
      {
        columns: [
          { column: 'details', change: 'set', value: { a: 1 } },
          { column: 'tags', change: 'set', value: ['x'] },
        ],
      },
    ],
    [
      { $currentDate: { read_at: true, printed: true, seen: true } },
      {
        columns: [
          { column: 'read_at', change: 'set', value: now.toISOString() },
          { column: 'printed', change: 'set', value: '2026-01-31' },
        ],
        flexible: { seen: now.toISOString() },
      },
    ],
    [{ $setOnInsert: { 'a.b': 1, title: 'x' } }, {}],
    [{ $set: { _id: 'x', owner_id: 1 }, $inc: { created_at: 1 } }, {}],
  ])('%j is one statement', (json, expected) => {
    expect(changes(json)).toEqual({ columns: [], flexible: {}, removed: [], ...expected });
  });

  it.each<[object]>([
    [{ 'details.a': 1 }],
    [{ $unset: { 'notes.a': '' } }],
    [{ $inc: { year: 0.5 } }],
    [{ $mul: { year: 0.5 } }],
    [{ $inc: { shelf: 1 } }],
    [{ $inc: { details: 1 } }],
    [{ $min: { title: 'a' } }],
    [{ $max: { read_at: '2026-01-31T09:30:00Z' } }],
    [{ $max: { year: 'x' } }],
    [{ $min: { year: null } }],
    [{ $rename: { title: 'caption' } }],
    [{ $push: { tags: 'a' } }],
    [{ $pull: { tags: { $regex: 'a' } } }],
    [{ $set: { title: 'T' }, $addToSet: { colours: 'red' } }],
  ])('%j needs to read the documents first', json => {
    expect(changes(json)).toBeUndefined();
  });
});
