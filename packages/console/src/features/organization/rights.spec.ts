import { describe, expect, it } from 'vitest';
import { mayGiveRole, mayGrant, mayInOrganization, type Rights } from './rights.js';

function person(permissions: string[], role: { slug?: string; scopes?: string[] } = {}): Rights {
  const { slug = 'custom', scopes = [] } = role;
  return {
    permissions,
    org: {
      slug: 'acme',
      name: 'Acme',
      groups: [],
      settings: {},
      subscription: {},
      role: { slug, name: slug, permissions, scopes },
    },
  };
}

describe('what somebody may do in the organization', () => {
  it.each([
    [['orgs:members:manage'], 'orgs:members:manage', true],
    [['orgs:*'], 'orgs:members:manage', true],
    [['orgs:manage'], 'orgs:members:manage', false],
  ])('with %j, %s is allowed: %s', (held, needed, allowed) => {
    expect(mayInOrganization(person(held), needed)).toBe(allowed);
  });

  it('is limited to what scopes bound, for a role whose scopes leave the organization out', () => {
    const narrowed = person(['*'], { scopes: ['collections:*'] });
    expect(mayInOrganization(narrowed, 'orgs:members:manage')).toBe(false);
    expect(mayInOrganization(narrowed, 'orgs:apikeys:manage')).toBe(true);
    expect(mayInOrganization(person(['*'], { scopes: ['orgs:acme'] }), 'orgs:members:manage')).toBe(true);
  });

  it('is nothing without an organization', () => {
    expect(mayInOrganization({ permissions: ['*'], org: null }, 'orgs:manage')).toBe(false);
  });
});

describe('what somebody may grant', () => {
  it('is at most what they hold', () => {
    const held = person(['collections:*', 'orgs:members:manage']);
    expect(mayGrant(held, { permissions: ['collections:read'], scopes: [] })).toBe(true);
    expect(mayGrant(held, { permissions: ['*'], scopes: [] })).toBe(false);
    expect(mayGrant(held, { permissions: ['orgs:*'], scopes: [] })).toBe(false);
  });

  it('has scopes within their own', () => {
    const held = person(['*'], { scopes: ['collections:*'] });
    expect(mayGrant(held, { permissions: ['*'], scopes: ['collections:1'] })).toBe(true);
    expect(mayGrant(held, { permissions: ['*'], scopes: ['workspaces:1'] })).toBe(false);
    expect(mayGrant(held, { permissions: ['*'], scopes: [] })).toBe(false);
  });

  it('is the role of owner only for owners', () => {
    const owner = { slug: 'owner', permissions: ['*'], scopes: [] };
    expect(mayGiveRole(person(['*'], { slug: 'admin' }), owner)).toBe(false);
    expect(mayGiveRole(person(['*'], { slug: 'owner' }), owner)).toBe(true);
  });
});
