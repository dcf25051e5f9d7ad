import { isAllowed } from '../../api/permissions.js';
import type { Me } from '../../api/session.js';

/** The part of `Me` that decides what somebody may do in the active organization. */
export type Rights = Pick<Me, 'permissions' | 'org'>;

/** What a role, key or service account grants. */
interface Granted {
  readonly permissions: readonly string[];
  readonly scopes: readonly string[];
}

/** People whose role has scopes beside the organization may still use these permissions. */
const BOUND_BY_SCOPES: ReadonlySet<string> = new Set([
  'orgs:apikeys:manage',
  'orgs:roles:manage',
  'orgs:service-accounts:manage',
]);

/** True if the service lets the person do this in the active organization. */
export function mayInOrganization(me: Rights, permission: string): boolean {
  if (me.org === null || !isAllowed(me, permission)) return false;
  return reachesOrganization(me.org) || BOUND_BY_SCOPES.has(permission);
}

/** True if the person holds everything that is granted, so that the service lets them grant it. */
export function mayGrant(me: Rights, { permissions, scopes }: Granted): boolean {
  return permissions.every(each => isAllowed(me, each)) && scopesWithin(me.org?.role.scopes ?? [], scopes);
}

/**
 * True if the service lets the person have a key or service account of the organization with these permissions: it is owner
 * of every collection, so permissions for collections need `*`.
 */
export function mayBeOwnerless(me: Rights, permissions: readonly string[]): boolean {
  return isAllowed(me, '*') || !permissions.some(each => each === '*' || each.startsWith('collections:'));
}

/** True if the person may give this role to somebody, change it, or take it away. Only owners make owners. */
export function mayGiveRole(me: Rights, role: Granted & { readonly slug: string }): boolean {
  return mayGrant(me, role) && (role.slug !== 'owner' || me.org?.role.slug === 'owner');
}

/** Built-in roles of which nobody becomes a member without somebody's decision. */
export function isForJoining({ slug }: { readonly slug: string }): boolean {
  return slug !== 'owner' && slug !== 'admin';
}

function reachesOrganization({ slug, role: { scopes } }: NonNullable<Me['org']>): boolean {
  return scopes.length === 0 || covered(scopes, `orgs:${slug}`);
}

/** True if `inner` reaches nothing that `outer` does not. An empty list reaches everything. */
function scopesWithin(outer: readonly string[], inner: readonly string[]): boolean {
  if (outer.length === 0) return true;
  return inner.length > 0 && inner.every(scope => covered(outer, scope));
}

function covered(held: readonly string[], wanted: string): boolean {
  return isAllowed({ permissions: [...held] }, wanted);
}
