import { describe, expect, it } from 'vitest';
import { render } from '../../../base/sql/index.js';
import type { CollectionShape } from '../collection-shape.js';
import { indexDdl } from './index-ddl.js';
import { indexName, indexNamed, nameWithoutShard, uniqueNamed } from './index-names.js';

const NAMES = Array.from({ length: 16 }, (_, at) => `column_${at}`);
const SHAPE: CollectionShape = {
  id: '0190a1b2-0000-7000-8000-00000000000a',
  orgId: '0190a1b2-0000-7000-8000-00000000000b',
  version: 1,
  mayExpire: false,
  columns: Object.fromEntries(
    NAMES.map((name, at) => [name, { type: 'text', nullable: true, number: 1_595 - at }]),
  ),
};
const on = (...properties: string[]) => ({ properties });

describe('the name of an index', () => {
  it('has a length that PostgreSQL accepts, and needs no quotes', () => {
    expect(indexName(SHAPE, on(...NAMES), true)).toMatch(/^[a-z][a-z0-9_]{0,62}$/);
  });

  it('differs by kind, order and collection', () => {
    const other = { ...SHAPE, id: '0190a1b2-0000-7000-8000-00000000000c' };
    const names = [
      indexName(SHAPE, on('column_0', 'column_1'), true),
      indexName(SHAPE, on('column_0', 'column_1'), false),
      indexName(SHAPE, on('column_1', 'column_0'), true),
      indexName(other, on('column_0', 'column_1'), true),
    ];
    expect(new Set(names).size).toBe(4);
  });

  it('names the columns of the index, in order', () => {
    const index = on('column_3', 'column_0', 'column_15');
    expect(indexNamed(SHAPE, indexName(SHAPE, index, false))).toEqual(index);
    expect(uniqueNamed(SHAPE, [], indexName(SHAPE, index, true))).toEqual(index);
  });

  it.each(['c_0190a1b2_pkey', 'u_', 'u_abcdefghijkl_0001', 'u_abcdefghijkl_001', 'e_0190a1b2'])(
    'returns nothing for %s',
    name => {
      expect(indexNamed(SHAPE, name)).toBeUndefined();
    },
  );
});

describe('the name of an index on paths', () => {
  const index = on('column_0', 'address.city');
  const shape = { ...SHAPE, indexes: [index, { ...index, kind: 'search' as const }] };

  it('is found again in the list of the collection, with its kind', () => {
    for (const each of shape.indexes) {
      const name = indexName(shape, each, false);
      expect(name).toMatch(/^[a-z][a-z0-9_]{0,53}$/);
      expect(indexNamed(shape, nameWithoutShard(`${name}_102008`))).toEqual(each);
      expect(indexNamed(SHAPE, name)).toBeUndefined();
    }
  });

  it('changes when the field becomes a column', () => {
    const address = { type: 'json' as const, nullable: true, number: 7 };
    const changed = { ...shape, columns: { ...SHAPE.columns, address } };
    expect(indexName(changed, index, false)).not.toBe(indexName(shape, index, false));
  });
});

it('gives an index the order of MongoDB, and a unique constraint no tie-breaker', () => {
  expect(render(indexDdl(SHAPE, on('column_0'), false)).text).toMatch(/ \(c1595 NULLS FIRST, _id\)$/);
  expect(render(indexDdl(SHAPE, on('column_0'), true, true)).text).toMatch(
    /^CREATE UNIQUE INDEX CONCURRENTLY .* \(c1595 NULLS FIRST\)$/,
  );
});
