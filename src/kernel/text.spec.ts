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
