import { describe, expect, it } from 'vitest';
import { isImplied, othersAmong } from './permissions.js';

describe('permissions of a form', () => {
  it('are others if no box stands for them', () => {
    const held = ['*', 'orgs:*', 'collections:read', 'files:read', 'orgs:apikeys:*'];
    expect(othersAmong(held)).toEqual(['files:read', 'orgs:apikeys:*']);
  });

  it.each([
    [['orgs:*', 'orgs:manage'], 'orgs:manage', true],
    [['*'], 'orgs:*', true],
    [['orgs:*'], 'orgs:*', false],
    [['orgs:manage'], 'orgs:manage', false],
  ])('among %j, %s is implied: %s', (permissions, permission, implied) => {
    expect(isImplied(permissions, permission)).toBe(implied);
  });
});
