import { describe, expect, it } from 'vitest';
import { changedIds } from './id.js';

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
