import type { AggregatePlan, Read } from '@typed-collections/plain-questions';
import { describe, expect, it } from 'vitest';
import { fieldsRead, requireResultFields } from './plan-fields.js';

const names = (plan: Read) => fieldsRead(plan).map(path => path.join('.'));
const aggregate = (more: Partial<AggregatePlan>): AggregatePlan => ({
  operation: 'aggregate',
  steps: [{ type: 'count', output_field: 'n' }],
  ...more,
});

describe('the fields that a plan reads', () => {
  it('are those of filter, sort and projection', () => {
    const filter = { $or: [{ a: 1 }, { 'b.c': { $gt: 1 } }, { $nor: [{ d: { $not: { $in: [1] } } }] }] };
    expect(names({ operation: 'query', filter, sort: { e: -1 }, fields: ['f', 'a'], limit: 5 })).toEqual([
      ...['e', '_id', 'f', 'a', 'b.c', 'd'],
    ]);
  });

  it('are those of groups and steps, not the results', () => {
    const steps = [{ type: 'sum', input_field: 'amount', output_field: 'total' }] as const;
    expect(
      names(aggregate({ steps, group_by: ['a', 'b'], sort: { total: 1 }, having: { total: 1 } })),
    ).toEqual([...['a', 'b', 'amount']]);
    expect(names(aggregate({ group_by: 'a' }))).toEqual(['a']);
  });

  it('do not include fields inside the elements of an array', () => {
    expect(names({ operation: 'count', filter: { list: { $elemMatch: { inner: 1 } } } })).toEqual(['list']);
    expect(names({ operation: 'count', filter: { $search: 'x' } })).toEqual([]);
    expect(names({ operation: 'distinct', field: 'a.b' })).toEqual(['a.b']);
  });

  it('are refused in any other form than that of REST', () => {
    for (const filter of [[], 'a', 7, { $where: '1' }, { 'a.': 1 }]) {
      expect(() => names({ operation: 'count', filter } as never), JSON.stringify(filter)).toThrow();
    }
  });
});

describe('the results of an aggregate', () => {
  it('are filtered by their own names', () => {
    expect(() =>
      requireResultFields(aggregate({ group_by: 'a.b', having: { n: 1, 'a.b': 2 } })),
    ).not.toThrow();
    expect(() => requireResultFields(aggregate({ having: { m: 1 } }))).toThrow('having: "m"');
  });

  it('have names that cannot be sentences', () => {
    const steps = [{ type: 'count', output_field: 'Call 555' }] as const;
    expect(() => requireResultFields(aggregate({ steps }))).toThrow('output_field');
  });
});
