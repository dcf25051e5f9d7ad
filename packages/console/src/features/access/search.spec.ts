import { describe, expect, it } from 'vitest';
import { accessSearch } from './search.js';

describe('the address of the page of access', () => {
  it('keeps a page after the first, and a principal to explain', () => {
    const search = { page: 2, explain: { type: 'group', id: 'acme:editors' } };
    expect(accessSearch(search)).toEqual(search);
  });

  it.each([
    { page: 1 },
    { page: 'two' },
    { page: 1.5 },
    { explain: 'acme' },
    { explain: null },
    { explain: { type: 'planet', id: 'x' } },
    { explain: { type: 'user', id: '' } },
    { explain: { type: 'user', id: 7 } },
  ])('drops %j', search => {
    expect(accessSearch(search)).toEqual({});
  });
});
