import { expect, it } from 'vitest';
import { measure } from './measure-types.mjs';

// The number of instantiations depends on the types and on the version of TypeScript only, not on the computer.
it('the types of a collection cost the compiler at most 7,500 instantiations for all methods', () => {
  const figures = measure({ collections: 5, columns: 30, uses: 1 });
  expect(figures.diagnostics).toEqual([]);
  expect(figures.instantiations / 5).toBeLessThan(7_500);
  // 30 columns, 5 system fields, $and, $or, $nor and $search: all that an editor should offer in a filter.
  expect(figures.names).toBe(39);
});
