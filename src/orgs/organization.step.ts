import { Injectable } from '@nestjs/common';
import { type Check, OrganizationStep, type Route } from '../http/access/access-step.js';
import type { PlatformRequest } from '../http/platform-request.js';
import type { Requirement } from '../http/requires.decorator.js';
import { PlatformError } from '../kernel/errors.js';
import { type Permission, scopeReaches } from '../kernel/permission.js';
import {
  activeMembership,
  holds,
  type Membership,
  membershipIn,
  type Principal,
} from '../kernel/principal.js';
import { membershipRequired } from './org-lock.js';

/**
 * Enforces `@Requires({ org })` and `@Requires({ product })` from what authentication found out: no round trip.
 * The organization is that of the path, else the active one (spec rule 11).
 */
@Injectable()
export class OrganizationAccess extends OrganizationStep {
  checkFor({ requirement }: Route): Check | undefined {
    if (!('org' in requirement || 'product' in requirement)) return undefined;
    const membershipFor =
      'org' in requirement
        ? (principal: Principal, { params }: PlatformRequest) =>
            pathMembership(principal, params.orgSlug as string, requirement.org)
        : (principal: Principal) => activeOrgMembership(principal, requirement);
    return request => {
      const { principal } = request;
      if (principal === undefined) throw new Error('routes of an organization need a caller');
      request.membership = membershipFor(principal, request);
      return undefined;
    };
  }
}

function pathMembership(principal: Principal, slug: string, needed: Permission | 'member'): Membership {
  const membership = admitted(principal, membershipIn(principal, slug));
  if (needed !== 'member') requirePermission(principal, membership, needed);
  requireOrgScope(principal, membership, needed);
  return membership;
}

function activeOrgMembership(
  principal: Principal,
  { product, everyCollection }: Extract<Requirement, { product: unknown }>,
): Membership {
  if (product === 'member') return activeMember(principal);
  return everyCollection === true
    ? everyCollectionMembership(principal, product)
    : productMembership(principal, product);
}

/** The caller's membership in the active organization. Throws 403 without one, or without the permission in it. */
export function productMembership(principal: Principal, permission: Permission): Membership {
  const membership = admitted(principal, activeMembership(principal));
  requirePermission(principal, membership, permission);
  return membership;
}

/** The same, for what is about no single collection: 403 for a credential that is narrowed to some of them. */
export function everyCollectionMembership(principal: Principal, permission: Permission): Membership {
  const membership = productMembership(principal, permission);
  if (!reachesEveryCollection(membership)) {
    throw new PlatformError(
      'Forbidden',
      'This credential is narrowed to some collections by its scopes, and this is about none of them.',
    );
  }
  return membership;
}

export function reachesEveryCollection({ scopes }: Membership): boolean {
  return scopeReaches(scopes, 'collections', '*');
}

/** Collection keys are admitted: what they may do is decided where they do it. */
function activeMember(principal: Principal): Membership {
  const membership = activeMembership(principal);
  if (membership === undefined) throw membershipRequired();
  if (principal.workspace !== undefined) {
    throw new PlatformError('Forbidden', 'A workspace API key does not reach collections.');
  }
  return membership;
}

/** A collection key reaches its collection and nothing else of the organization. */
function admitted(principal: Principal, membership: Membership | undefined): Membership {
  if (membership === undefined) throw membershipRequired();
  if (principal.collectionId !== undefined) {
    throw new PlatformError('Forbidden', 'A collection key reaches nothing but its collection.');
  }
  return membership;
}

/** What these give to others is held against the caller's own scopes. */
const BOUND_BY_SCOPES: ReadonlySet<string> = new Set([
  'orgs:apikeys:manage',
  'orgs:roles:manage',
  'orgs:service-accounts:manage',
]);

/**
 * Scopes like `collections:<id>` narrow a credential to resources, so that it reaches the organization itself no more.
 * People in a narrowed role still see their organization as members do.
 */
function requireOrgScope(
  { credential }: Principal,
  { scopes, orgSlug }: Membership,
  needed: Permission | 'member',
): void {
  if (scopeReaches(scopes, 'orgs', orgSlug)) return;
  const person = credential === 'jwt' || credential === 'access-token';
  if (person && (needed === 'member' || BOUND_BY_SCOPES.has(needed))) return;
  throw new PlatformError(
    'Forbidden',
    'This credential is narrowed to some resources by its scopes, and the organization is none of them.',
  );
}

function requirePermission(principal: Principal, membership: Membership, permission: Permission): void {
  if (holds(principal, membership, permission)) return;
  throw new PlatformError('Forbidden', `This needs the permission ${permission} in the organization.`);
}
