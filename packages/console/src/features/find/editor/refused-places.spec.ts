import { expect, it } from 'vitest';
import { refusedPlaces } from './refused-places.js';

it.each([
  ['$size needs an integer from 0', { tags: { $size: -1 } }, [['tags', '$size']]],
  ["'soon' is not a calendar date YYYY-MM-DD", { year: 1, printed: { $gte: 'soon' } }, [['printed', '$gte']]],
  [
    'unknown operator $near (did you mean $gt?); the operators are $and $or $gt',
    { $or: [{ year: { $gt: 1 } }, { year: { $near: 5 } }] },
    [['$or', 1, 'year', '$near']],
  ],
  ['field "a..b": a field name must not be empty', { x: 1, 'a..b': 2 }, [['a..b']]],
  ['"plain" is a field among operators: …', { year: { $gt: 1, plain: 2 } }, [['year', 'plain']]],
  ['invalid regular expression: parentheses () not balanced', { t: { $regex: '(' } }, [['t', '$regex']]],
  [
    '$size needs an integer from 0',
    { a: { $size: -1 }, b: { $size: 0.5 } },
    [
      ['a', '$size'],
      ['b', '$size'],
    ],
  ],
  ['a filter has at most 500 conditions', { a: 1 }, []],
  ['the operator $in is out of place', { a: { $i: 1 } }, []],
])('%s', (message, filter, places) => {
  expect(refusedPlaces(message, filter)).toEqual(places);
});
