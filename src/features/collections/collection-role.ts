import { COLLECTION_ROLES, type CollectionRole, scopeReaches } from '../../base/kernel/permission.js';
import type { Membership, Principal } from '../../base/kernel/principal.js';
import { type BoundCollection, boundRole, type Collection } from './collection.entity.js';

/** The role of a collection key. A key does not have the rights in `OUTLIVING`, although this role includes them. */
const COLLECTION_KEY_ROLE: CollectionRole = 'admin';

/** One way in which a principal can have a role on a collection; `role` is undefined when this one grants none. */
export interface AccessPath {
  readonly path: 'owner' | 'agent_ids' | 'user' | 'group' | 'org' | 'org_role';
  /** The group that grants the role. Set when there can be several paths of the same type. */
  readonly group?: string;
  readonly role: CollectionRole | undefined;
}

/** The principal's membership in the collection's organization; undefined when its scopes exclude the collection. */
export function membershipFor(principal: Principal, collection: Collection): Membership | undefined {
  const membership = principal.memberships.find(each => each.orgId === collection.orgId);
  if (membership === undefined || !scopeReaches(membership.scopes, 'collections', collection.id))
    return undefined;
  return membership;
}

/**
 * The role of a principal on a collection: the highest that any path grants. Undefined when none does: then the
 * collection does not exist for the principal. Source: collections contract, "Who may do what".
 */
export function collectionRole(
  principal: Principal,
  membership: Membership,
  collection: BoundCollection,
): CollectionRole | undefined {
  if (principal.collectionId !== undefined) {
    return principal.collectionId === collection.id ? COLLECTION_KEY_ROLE : undefined;
  }
  return highestRole(accessPaths(principal, membership, collection));
}

/** All paths for this type of principal, including those that grant nothing. */
export function accessPaths(
  { type, id }: Pick<Principal, 'type' | 'id'>,
  membership: Pick<Membership, 'role' | 'groups'>,
  collection: BoundCollection,
): AccessPath[] {
  const { bindings } = collection;
  if (type === 'key' || type === 'service-account') return [{ path: 'org_role', role: 'owner' }];
  const owned = type === collection.ownerType && id === collection.ownerId;
  const forAll: AccessPath[] = [
    { path: 'owner', role: owned ? 'owner' : undefined },
    { path: 'org', role: boundRole(bindings, 'org') },
  ];
  if (type === 'agent') {
    const guest = collection.agentIds.includes(id);
    return [...forAll, { path: 'agent_ids', role: guest ? 'editor' : undefined }];
  }
  return [
    ...forAll,
    { path: 'user', role: boundRole(bindings, 'user', id) },
    ...membership.groups.map(group => ({
      path: 'group' as const,
      group,
      role: boundRole(bindings, 'group', group),
    })),
    { path: 'org_role', role: organizationRole(membership) },
  ];
}

/** Owners and admins of an organization have the same role on its collections; other roles grant none. */
function organizationRole({ role }: Pick<Membership, 'role'>): CollectionRole | undefined {
  return role === 'owner' || role === 'admin' ? role : undefined;
}

export function highestRole(paths: readonly AccessPath[]): CollectionRole | undefined {
  return COLLECTION_ROLES.findLast(role => paths.some(path => path.role === role));
}
