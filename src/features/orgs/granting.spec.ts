import { describe, expect, it } from 'vitest';
import type { Membership, Principal } from '../../base/kernel/principal.js';
import { assertMayGrant, isWithin, scopesInCommon } from './granting.js';

const who = (narrowedTo?: string[]) => ({ narrowedTo }) as unknown as Principal;
const holding = (permissions: string[], scopes: string[] = []) =>
  ({ permissions, scopes }) as unknown as Membership;

describe('granting', () => {
  it.each([
    [['*'], ['*']],
    [['*'], ['anything:at:all']],
    [['collections:*'], ['collections:read', 'collections:*']],
    [['orgs:apikeys:manage'], ['orgs:apikeys:manage']],
    [[], []],
  ])('lets a holder of %j grant %j', (held, permissions) => {
    expect(() => assertMayGrant(who(), holding(held), { permissions, scopes: [] })).not.toThrow();
  });

  it.each([
    [['collections:*'], ['*']],
    [['collections:read'], ['collections:*']],
    [['collections:read'], ['collections:read', 'collections:write']],
    [['collections:*'], ['collectionsx:read']],
    [[], ['collections:read']],
  ])('does not let a holder of %j grant %j', (held, permissions) => {
    expect(() => assertMayGrant(who(), holding(held), { permissions, scopes: [] })).toThrow(/cannot grant/);
  });

  it('is limited to the permissions of a narrowed credential', () => {
    const permissions = ['collections:write'];
    const grant = (narrowed: string[]) => () =>
      assertMayGrant(who(narrowed), holding(['*']), { permissions, scopes: [] });
    expect(grant(['collections:*'])).not.toThrow();
    expect(grant(['collections:read'])).toThrow(/collections:write/);
    expect(grant([])).toThrow(/collections:write/);
  });

  it.each([
    [[], []],
    [[], ['files:1']],
    [['*'], ['files:1']],
    [['files:*'], ['files:1', 'files:*']],
  ])('lets scopes %j reach %j', (held, scopes) => {
    expect(() => assertMayGrant(who(), holding([], held), { permissions: [], scopes })).not.toThrow();
  });

  it.each([
    [['files:1'], []],
    [['files:1'], ['files:*']],
    [['files:1'], ['files:1', 'files:2']],
    [['files:*'], ['*']],
  ])('does not let scopes %j reach %j', (held, scopes) => {
    expect(() => assertMayGrant(who(), holding([], held), { permissions: [], scopes })).toThrow(/scopes/);
  });
});

describe('rights within others', () => {
  it.each([
    [{ permissions: ['*'], scopes: [] }, { permissions: ['collections:*'], scopes: ['a:1'] }, true],
    [{ permissions: ['collections:*'], scopes: [] }, { permissions: ['*'], scopes: [] }, false],
    [{ permissions: ['*'], scopes: ['a:1'] }, { permissions: ['collections:*'], scopes: [] }, false],
  ])('of %j: %j? %s', (held, granted, within) => {
    expect(isWithin(held, granted)).toBe(within);
  });
});

describe('scopes in common', () => {
  it.each([
    [[], [], []],
    [[], ['a:1'], ['a:1']],
    [['a:1'], [], ['a:1']],
    [['a:*'], ['a:1', 'b:2'], ['a:1']],
    [
      ['a:1', 'b:*'],
      ['a:*', 'b:2'],
      ['a:1', 'b:2'],
    ],
    [['a:1'], ['a:1'], ['a:1']],
  ])('of %j and %j are %j', (one, other, both) => {
    expect(scopesInCommon(one, other)).toEqual(both);
  });

  it('are not an empty list if there are none, because an empty list means all resources', () => {
    expect(scopesInCommon(['a:1'], ['a:2'])).toEqual(['none:none']);
  });
});
