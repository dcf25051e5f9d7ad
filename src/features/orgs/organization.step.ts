import { Injectable } from '@nestjs/common';
import { PlatformError } from '../../base/kernel/errors.js';
import { type Permission, scopeReaches } from '../../base/kernel/permission.js';
import {
  activeMembership,
  limitedAs,
  type Membership,
  membershipIn,
  type Principal,
} from '../../base/kernel/principal.js';
import { type Check, OrganizationStep, type Route } from '../../platform/http/access/access-step.js';
import type { PlatformRequest } from '../../platform/http/platform-request.js';
import type { Requirement } from '../../platform/http/requires.decorator.js';
import { requirePermission } from './granting.js';
import { membershipRequired } from './org-lock.js';

/**
 * Enforces `@Requires({ org })` and `@Requires({ product })` by the caller's memberships, without a round trip. The
 * organization is the one in the path, or else the active one (spec rule 11).
 */
@Injectable()
export class OrganizationAccess extends OrganizationStep {
  checkFor({ requirement }: Route): Check | undefined {
    if (!('org' in requirement || 'product' in requirement)) return undefined;
    const membershipFor =
      'org' in requirement
        ? (principal: Principal, { params }: PlatformRequest) =>
            pathMembership(principal, params.orgSlug as string, requirement)
        : (principal: Principal) => activeOrgMembership(principal, requirement);
    return request => {
      const { principal } = request;
      if (principal === undefined) throw new Error('routes of an organization need a caller');
      request.membership = membershipFor(principal, request);
      return undefined;
    };
  }
}

function pathMembership(
  principal: Principal,
  slug: string,
  { org: needed, seesPeople }: Extract<Requirement, { org: unknown }>,
): Membership {
  const membership = admitted(principal, membershipIn(principal, slug));
  if (seesPeople === true) assertSeesPeople(principal, membership);
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

/** The caller's membership in the active organization. 403 without a membership or without the permission. */
export function productMembership(principal: Principal, permission: Permission): Membership {
  const membership = admitted(principal, activeMembership(principal));
  requirePermission(principal, membership, permission);
  return membership;
}

/** The same for operations without a collection: 403 also for a credential whose scopes name single collections. */
export function everyCollectionMembership(principal: Principal, permission: Permission): Membership {
  const membership = productMembership(principal, permission);
  if (!reachesEveryCollection(membership)) {
    throw new PlatformError(
      'Forbidden',
      'The scopes of this credential are limited to single collections. This operation needs a credential without such scopes.',
    );
  }
  return membership;
}

export function reachesEveryCollection({ scopes }: Membership): boolean {
  return scopeReaches(scopes, 'collections', '*');
}

/** The caller's membership, also for collection keys, whose rights the operation itself checks. */
function activeMember(principal: Principal): Membership {
  const membership = activeMembership(principal);
  if (membership === undefined) throw membershipRequired();
  if (principal.workspace !== undefined) {
    throw new PlatformError(
      'Forbidden',
      'An API key of a workspace cannot access collections. Use an API key of the organization or the collection.',
    );
  }
  return membership;
}

/** The membership. 403 without one, and for a collection key, which reaches only its collection. */
function admitted(principal: Principal, membership: Membership | undefined): Membership {
  if (membership === undefined) throw membershipRequired();
  if (principal.collectionId !== undefined) {
    throw new PlatformError('Forbidden', 'An API key of a collection can access only its own collection.');
  }
  return membership;
}

/** 403 for anonymous members and app users. */
export function assertSeesPeople(principal: Principal, membership: Membership): void {
  if (limitedAs(principal, membership) === undefined) return;
  throw new PlatformError(
    'Forbidden',
    'People who joined anonymously or by the sign-up of an application do not see who is in the organization. Ask a manager of its members for another role.',
  );
}

/** Operations with these permissions limit what they grant to the caller's own scopes. */
const BOUND_BY_SCOPES: ReadonlySet<string> = new Set([
  'orgs:apikeys:manage',
  'orgs:roles:manage',
  'orgs:service-accounts:manage',
]);

/**
 * 403 for a credential whose scopes name only resources such as `collections:<id>`. People whose role has such scopes
 * still see their organization as members do.
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
    'The scopes of this credential are limited to resources that do not include the organization.',
  );
}
