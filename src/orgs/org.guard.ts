import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import type { PlatformRequest } from '../http/platform-request.js';
import { REQUIREMENT, type Requirement } from '../http/requires.decorator.js';
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
export class OrgGuard implements CanActivate {
  constructor(private readonly reflector: Reflector) {}

  canActivate(context: ExecutionContext): boolean {
    const requirement = this.reflector.get<Requirement | undefined>(REQUIREMENT, context.getHandler());
    if (requirement === undefined || !('org' in requirement || 'product' in requirement)) return true;
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    const { principal } = request;
    if (principal === undefined) throw new Error('routes of an organization need a caller');
    if ('org' in requirement) {
      request.membership = admitted(principal, membershipIn(principal, request.params.orgSlug as string));
      if (requirement.org !== 'member') requirePermission(principal, request.membership, requirement.org);
      requireOrgScope(principal, request.membership, requirement.org);
    } else {
      request.membership =
        requirement.product === 'member'
          ? activeMember(principal)
          : requirement.everyCollection === true
            ? everyCollectionMembership(principal, requirement.product)
            : productMembership(principal, requirement.product);
    }
    return true;
  }
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
