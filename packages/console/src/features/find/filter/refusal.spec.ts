import { expect, it } from 'vitest';
import type { JsonObject } from '../../../values/json.js';
import { fromFilter } from '../model/from-filter.js';
import { refusedItems } from './refusal.js';

const at = (message: string, filter: JsonObject) => [
  ...refusedItems(message, filter, fromFilter(filter)).keys(),
];

it.each<[string, JsonObject, string[]]>([
  ["'soon' is not a calendar date", { year: 1, printed: { $gte: 'soon' } }, ['1']],
  ['$size needs an integer from 0', { $or: [{ a: 1 }, { tags: { $size: -1 }, b: 2 }] }, ['1.0']],
  ['unknown operator $near; the operators are $gt', { a: { $gt: 1 }, b: { $near: 1 } }, ['1']],
  ['invalid regular expression: x', { a: 1, b: { $regex: '(', $options: 'i' } }, ['1']],
  ['$size needs an integer from 0', { l: { $elemMatch: { a: 1, b: { $size: -1 } } } }, ['0.1']],
  ['a filter has at most 500 conditions', { a: 1 }, []],
])('%s', (message, filter, items) => {
  expect(at(message, filter)).toEqual(items);
});
