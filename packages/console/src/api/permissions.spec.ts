import { describe, expect, it } from 'vitest';
import { isAllowed } from './permissions.js';

describe('a permission', () => {
  it.each([
    [['collections:create'], true],
    [['*'], true],
    [['collections:*'], true],
    [['collections:read'], false],
    [['collections:creat'], false],
    [['orgs:*'], false],
    [[], false],
  ])('of %j covers collections:create: %s', (permissions, allowed) => {
    expect(isAllowed({ permissions }, 'collections:create')).toBe(allowed);
  });

  it('is missing while nobody is known to be signed in', () => {
    expect(isAllowed(undefined, 'collections:create')).toBe(false);
  });
});
