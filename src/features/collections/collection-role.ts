import { type GrantParts, restricts } from '../../base/kernel/grant-parts.js';
import { COLLECTION_ROLES, type CollectionRole, scopeReaches } from '../../base/kernel/permission.js';
import { limitedAs, type Membership, type Principal } from '../../base/kernel/principal.js';
import type { BoundCollection, Collection } from './collection.entity.js';
import { boundGrant } from './collection-binding.entity.js';

/** The role of a collection key. A key does not have the rights in `OUTLIVING`, although this role includes them. */
const COLLECTION_KEY_ROLE: CollectionRole = 'admin';

/** One way in which a principal can have a role on a collection; `role` is undefined when this one grants none. */
export interface AccessPath {
  readonly path:
    | 'owner'
    | 'agent_ids'
    | 'user'
    | 'group'
    | 'org'
    | 'anonymous'
    | 'signup'
    | 'org_role'
    | 'collection_key';
  /** The group that grants the role. Set when there can be several paths of the same type. */
  readonly group?: string;
  readonly role: CollectionRole | undefined;
  /** The rules, fields and limits of the path; undefined when it has none. */
  readonly grant?: GrantParts | undefined;
}

/** The principal's membership in the collection's organization; undefined when its scopes exclude the collection. */
export function membershipFor(principal: Principal, collection: Collection): Membership | undefined {
  const membership = principal.memberships.find(each => each.orgId === collection.orgId);
  if (membership === undefined || !scopeReaches(membership.scopes, 'collections', collection.id))
    return undefined;
  return membership;
}

/** The ways in which a principal reaches a collection. None: the collection does not exist for the principal. */
export function callerPaths(
  principal: Principal,
  membership: Membership,
  collection: BoundCollection,
): AccessPath[] {
  const paths =
    principal.collectionId === undefined
      ? accessPaths(principal, membership, collection)
      : keyPaths(principal, collection);
  return paths.filter(({ role }) => role !== undefined);
}

function keyPaths({ collectionId, keyGrant }: Principal, { id }: Collection): AccessPath[] {
  if (collectionId !== id) return [];
  const role = keyGrant !== undefined && restricts(keyGrant) ? 'editor' : COLLECTION_KEY_ROLE;
  return [{ path: 'collection_key', role, grant: keyGrant }];
}

/**
 * All paths for this type of principal, including those that grant nothing. Source: collections contract, "Who may do
 * what"; rules contract, "Grants carry rules".
 */
export function accessPaths(
  { type, id, anonymous }: Pick<Principal, 'type' | 'id' | 'anonymous'>,
  membership: Pick<Membership, 'role' | 'groups' | 'via'>,
  collection: BoundCollection,
): AccessPath[] {
  if (type === 'key' || type === 'service-account') return [{ path: 'org_role', role: 'owner' }];
  if (type === 'workspace') return [];
  const owned = type === collection.ownerType && id === collection.ownerId;
  const bound = (path: 'agent' | 'user' | 'group' | SharedWith, of?: string) => {
    const grant = boundGrant(collection.bindings, path, of);
    return { role: grant?.role, grant };
  };
  const shared = sharedWith({ anonymous }, membership);
  const forAll: AccessPath[] = [
    { path: 'owner', role: owned ? 'owner' : undefined },
    { path: shared, ...bound(shared) },
  ];
  if (type === 'agent') return [...forAll, { path: 'agent_ids', ...bound('agent', id) }];
  return [
    ...forAll,
    { path: 'user', ...bound('user', id) },
    ...membership.groups.map(group => ({ path: 'group' as const, group, ...bound('group', group) })),
    { path: 'org_role', role: organizationRole(membership) },
  ];
}

/** The kinds of members that a collection can be shared with as a whole. Each caller is of one kind. */
export type SharedWith = 'org' | 'anonymous' | 'signup';

export function sharedWith(
  principal: Pick<Principal, 'anonymous'>,
  membership: Pick<Membership, 'via'>,
): SharedWith {
  const limited = limitedAs(principal, membership);
  return limited === 'signUp' ? 'signup' : (limited ?? 'org');
}

/** Owners and admins of an organization have the same role on its collections; other roles grant none. */
function organizationRole({ role }: Pick<Membership, 'role'>): CollectionRole | undefined {
  return role === 'owner' || role === 'admin' ? role : undefined;
}

export function highestRole(paths: readonly AccessPath[]): CollectionRole | undefined {
  return COLLECTION_ROLES.findLast(role => paths.some(path => path.role === role));
}
