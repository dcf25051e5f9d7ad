import { expect, it } from 'vitest';
import { nearest } from './text.js';

const FIELDS = ['amount', 'customer', 'created_at', 'id'];

it.each([
  ['ammount', 'amount'],
  ['amuont', 'amount'],
  ['createdAt', 'created_at'],
  ['costumer', 'customer'],
  ['AMOUNT', 'amount'],
])('suggests %s for %s', (name, meant) => {
  expect(nearest(name, FIELDS)).toBe(meant);
});

it.each(['ix', 'price', 'am', '', 'customer_number_of_the_order'])('suggests nothing for %j', name => {
  expect(nearest(name, FIELDS)).toBeUndefined();
});

it('prefers the closest', () => {
  expect(nearest('RATE_LIMIT_BULC', ['RATE_LIMIT_ASK', 'RATE_LIMIT_BULK'])).toBe('RATE_LIMIT_BULK');
});

it('compares names of up to 64 characters', () => {
  const [short, long] = ['n'.repeat(64), 'n'.repeat(65)];
  expect(nearest(`${short.slice(1)}x`, [short])).toBe(short);
  expect(nearest(short, [long])).toBeUndefined();
  expect(nearest(long, [short])).toBeUndefined();
  expect(nearest(long, [long])).toBeUndefined();
});

it.each([
  ['abcdefgh', 'bacdefhg'],
  ['bacdefgh', 'abcdefgh'],
  ['abcdefghijkl', 'bacdfeghijlk'],
])('counts a swap of neighbours in %s as one mistake, also where the limit is near', (name, meant) => {
  expect(nearest(name, ['zzzzzzzz', meant])).toBe(meant);
});

it('compares many names of 255 characters with many others', () => {
  const names = Array.from({ length: 1_500 }, (_, n) => `${'a'.repeat(250)}${n}`);
  for (let n = 0; n < 50; n += 1) expect(nearest(`${'a'.repeat(249)}b${n}`, names)).toBeUndefined();
});
