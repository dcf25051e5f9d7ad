import { expect, it } from 'vitest';
import { filterOf, filterText } from './filter-text.js';

it.each([null, { total: { $gte: 100 } }])(
  'the filter %j is the same after it was written and read',
  filter => {
    expect(filterOf(filterText(filter))).toEqual(filter);
  },
);

it.each(['[]', '7', 'null', '{', '"x"'])('the text %j is not a filter', text => {
  expect(filterOf(text)).toBeUndefined();
});
