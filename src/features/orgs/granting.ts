import type { Call } from '../../base/kernel/call.js';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { firstUncovered, type Permission } from '../../base/kernel/permission.js';
import { holds, type Membership, type Principal } from '../../base/kernel/principal.js';
import type { Queryable } from '../../platform/database/queryable.js';

/** The rights of a role or a key. */
export interface Rights {
  readonly permissions: readonly Permission[];
  readonly scopes: readonly string[];
}

/** 403 unless the caller holds the permission in the organization. */
export function requirePermission(
  principal: Principal,
  membership: Membership,
  permission: Permission,
): void {
  if (holds(principal, membership, permission)) return;
  throw new PlatformError('Forbidden', `This needs the permission ${permission} in the organization.`);
}

/** A scope that matches no resource, for two lists of scopes with nothing in common. An empty list would match all. */
const NOTHING = 'none:none';

/** 403 unless the caller holds all these rights in the organization. */
export function assertMayGrant(principal: Principal, membership: Membership, granted: Rights): void {
  const permission =
    firstUncovered(membership.permissions, granted.permissions) ??
    (principal.narrowedTo && firstUncovered(principal.narrowedTo, granted.permissions));
  if (permission !== undefined) {
    throw new PlatformError(
      'Forbidden',
      `You cannot grant ${permission}, because you do not hold it yourself.`,
    );
  }
  if (!scopesWithin(membership.scopes, granted.scopes)) {
    throw new PlatformError('Forbidden', 'You cannot grant scopes beyond your own.');
  }
}

/** True when a holder of `held` could grant `granted`. */
export function isWithin(held: Rights, granted: Rights): boolean {
  return (
    firstUncovered(held.permissions, granted.permissions) === undefined &&
    scopesWithin(held.scopes, granted.scopes)
  );
}

/** True when `inner` reaches nothing that `outer` does not; an empty list reaches everything. */
function scopesWithin(outer: readonly string[], inner: readonly string[]): boolean {
  if (outer.length === 0) return true;
  return inner.length > 0 && inner.every(scope => scopeCovered(outer, scope));
}

/** The scopes that both lists reach. */
export function scopesInCommon(one: readonly string[], other: readonly string[]): readonly string[] {
  if (one.length === 0) return other;
  if (other.length === 0) return one;
  const both = [
    ...one.filter(scope => scopeCovered(other, scope)),
    ...other.filter(scope => scopeCovered(one, scope)),
  ];
  return both.length === 0 ? [NOTHING] : [...new Set(both)];
}

function scopeCovered(held: readonly string[], wanted: string): boolean {
  return held.some(
    scope =>
      scope === wanted || scope === '*' || (scope.endsWith(':*') && wanted.startsWith(scope.slice(0, -1))),
  );
}

/** 403 unless the caller may add members to groups, which grants what is shared with these; 400 for unknown groups. */
export async function assertMayGroup(
  database: Queryable,
  { principal }: Call,
  membership: Membership,
  groups: readonly string[],
): Promise<void> {
  if (groups.length === 0) return;
  if (!holds(principal, membership, 'orgs:groups:manage')) {
    throw new PlatformError(
      'Forbidden',
      'groups: adding people to groups needs the permission orgs:groups:manage in the organization.',
    );
  }
  const missing: { slug: string }[] = await database.query(
    'SELECT unnest($2::text[]) AS slug EXCEPT SELECT slug FROM org_groups WHERE org_id = $1 ORDER BY slug',
    [membership.orgId, groups],
  );
  if (missing.length > 0) {
    throw invalid(`groups: the organization has no group ${missing.map(({ slug }) => slug).join(', ')}.`);
  }
}
