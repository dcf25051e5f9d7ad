import { describe, expect, it } from 'vitest';
import { covers, effectivePermissions, firstUncovered, isPermission, scopeReaches } from './permission.js';

describe('a permission', () => {
  it.each(['*', 'collections:*', 'collections:read', 'orgs:apikeys:manage', 'orgs:apikeys:*'])(
    'is %j',
    text => {
      expect(isPermission(text)).toBe(true);
    },
  );

  it.each([
    '',
    'collections',
    '*:read',
    'collections:*:read',
    'a:b:c:d',
    'a:b:',
    ':read',
    'A:b',
    'a: b',
    '**',
    'a:*b',
    'a:b\n',
  ])('is not %j', text => {
    expect(isPermission(text)).toBe(false);
  });

  it.each<[string[], string, boolean]>([
    [['*'], 'orgs:apikeys:manage', true],
    [['collections:*'], 'collections:read', true],
    [['collections:read'], 'collections:read', true],
    [['orgs:apikeys:*'], 'orgs:apikeys:manage', true],
    [['orgs:*'], 'orgs:apikeys:manage', true],
    [['collections:read'], 'collections:write', false],
    [['collections:read'], 'collections:*', false],
    [['collections:*'], '*', false],
    [['collection:*'], 'collections:read', false],
    [['collections:*'], 'collectionsx:read', false],
    [['orgs:apikeys'], 'orgs:apikeys:manage', false],
    [[], 'collections:read', false],
  ])('%j covers %j: %j', (held, needed, expected) => {
    expect(covers(held, needed)).toBe(expected);
  });

  it('cannot be granted by a caller who does not hold it', () => {
    expect(firstUncovered(['collections:*'], ['collections:read', 'orgs:manage', '*'])).toBe('orgs:manage');
    expect(firstUncovered(['collections:*'], ['collections:read', 'collections:*'])).toBeUndefined();
  });
});

it.each<[string[], boolean]>([
  [[], true],
  [['*'], true],
  [['collections:*'], true],
  [['collections:a', 'collections:b'], true],
  [['collections:a'], false],
  [['workspaces:*'], false],
  [['workspaces:b'], false],
  [['collections:'], false],
])('scopes %j reach collection b: %j', (scopes, expected) => {
  expect(scopeReaches(scopes, 'collections', 'b')).toBe(expected);
});

it.each<[string[], string[] | undefined, string[]]>([
  [['*'], undefined, ['*']],
  [['*'], ['collections:read'], ['collections:read']],
  [['collections:read'], ['*'], ['collections:read']],
  [
    ['collections:*', 'orgs:manage'],
    ['collections:read', 'orgs:*'],
    ['orgs:manage', 'collections:read'],
  ],
  [['collections:read'], ['collections:read'], ['collections:read']],
  [['collections:read'], ['orgs:manage'], []],
  [['*'], [], []],
])('%j narrowed to %j is %j', (held, narrowedTo, left) => {
  expect(effectivePermissions(held, narrowedTo)).toEqual(left);
});
