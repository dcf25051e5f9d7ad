import { UUID as UuidV7 } from 'uuidv7';
import { describe, expect, it } from 'vitest';
import { changedIds, newId, UUID } from './id.js';

it('makes ids in the canonical text of UUIDv7, each greater than the one before, that begin with about the time', () => {
  const begun = Date.now();
  const ids = Array.from({ length: 5_000 }, newId);
  const ended = Date.now();
  for (const id of ids) expect(id).toMatch(UUID);
  for (const id of ids) expect(UuidV7.parse(id).toString()).toBe(id);
  expect(new Set(ids.map(id => id[14]))).toEqual(new Set(['7']));
  expect([...ids].sort()).toEqual(ids);
  expect(new Set(ids).size).toBe(ids.length);
  const times = ids.map(id => Number.parseInt(id.slice(0, 8) + id.slice(9, 13), 16));
  expect(Math.min(...times)).toBeGreaterThanOrEqual(begun);
  expect(Math.max(...times)).toBeLessThanOrEqual(ended + 10_000);
});

describe('the payload of a change', () => {
  it('lists the ids of the rows that changed', () => {
    expect(changedIds('{"table":"users","ids":["a","b"]}')).toEqual(['a', 'b']);
    expect(changedIds('{"table":"users","ids":[]}')).toEqual([]);
  });

  it.each(['{"all":true}', '', 'null', '[]', '{"ids":"a"}', '{"ids":[1]}', '{"ids":["a"]'])(
    'means every row if it is not a list of ids: %s',
    payload => {
      expect(changedIds(payload)).toBe('all');
    },
  );
});
