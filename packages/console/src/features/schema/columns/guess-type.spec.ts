import { expect, it } from 'vitest';
import { guessType } from './guess-type.js';

it.each([
  ['boolean', [true, null, false]],
  ['integer', [1, undefined, 7]],
  ['double', [1, 2.5]],
  ['date', ['2026-01-31']],
  ['datetime', ['2026-01-31T09:30:00Z', '2026-01-31T09:30+01:00']],
  ['text', ['2026-01-31', 'tomorrow']],
  ['array', [['a'], []]],
  ['json', [['a', 1]]],
  ['json', [1, 'one']],
  ['json', [{ city: 'Lyon' }]],
  ['text', [null]],
])('proposes %s for %j', (type, values) => {
  expect(guessType(values)).toBe(type);
});
