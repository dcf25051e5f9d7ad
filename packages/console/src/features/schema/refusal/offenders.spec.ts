import { describe, expect, it } from 'vitest';
import { duplicatesOf, offendersOf } from './offenders.js';

const OFFENDER = { _id: 'a', column: 'age', problem: 'must not be null or absent' };
const DUPLICATE = { properties: ['email'], values: { email: 'x' }, count: 2, ids: ['a', 'b'] };

describe('the details of a refused schema', () => {
  it('name records with values that do not fit', () => {
    expect(offendersOf([OFFENDER])).toEqual([OFFENDER]);
    expect(duplicatesOf([OFFENDER])).toEqual([]);
  });

  it('name equal values', () => {
    expect(duplicatesOf([DUPLICATE])).toEqual([DUPLICATE]);
    expect(offendersOf([DUPLICATE])).toEqual([]);
  });

  it.each([undefined, null, 'text', { _id: 'a' }, [null, 'a', 1, {}]])('name nothing: %j', details => {
    expect(offendersOf(details)).toEqual([]);
    expect(duplicatesOf(details)).toEqual([]);
  });
});
