import { expect, it } from 'vitest';
import { isCompactJwt } from './compact-jwt.js';

it('a JWT has one text', () => {
  expect(isCompactJwt('eyJhIjoxfQ.eyJiIjoyfQ.c2ln')).toBe(true);
});

it.each([
  ['no signature', 'eyJhIjoxfQ.eyJiIjoyfQ.'],
  ['two parts', 'eyJhIjoxfQ.eyJiIjoyfQ'],
  ['four parts', 'eyJhIjoxfQ.eyJiIjoyfQ.c2ln.c2ln'],
  ['spare bits', 'eyJhIjoxfR.eyJiIjoyfQ.c2ln'],
  ['a character too many', 'eyJhIjoxfQ.eyJiIjoyfQ.c2lnA'],
  ['padding', 'eyJhIjoxfQ==.eyJiIjoyfQ.c2ln'],
  ['a blank before', ' eyJhIjoxfQ.eyJiIjoyfQ.c2ln'],
  ['a blank inside', 'eyJhIjoxfQ.eyJi IjoyfQ.c2ln'],
  ['a line feed after', 'eyJhIjoxfQ.eyJiIjoyfQ.c2ln\n'],
  ['the other alphabet', 'eyJhIjoxfQ.eyJiIjoyfQ.+/+/'],
])('a text with %s is none', (_, token) => {
  expect(isCompactJwt(token)).toBe(false);
});
