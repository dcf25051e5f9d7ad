import type { CollectionRole } from '../kernel/collection-right.js';
import { COLLECTION_ROLES } from '../kernel/collection-right.js';
import { scopeReaches } from '../kernel/permission.js';
import type { Membership, Principal } from '../kernel/principal.js';
import type { Collection } from './collection.entity.js';

/** What a collection key may at most; sharing, keys and deletion are never a collection key's. */
const COLLECTION_KEY_ROLE: CollectionRole = 'admin';

/** The membership through which a principal can reach a collection: the one in the collection's organization. */
export function membershipFor(principal: Principal, collection: Collection): Membership | undefined {
  const membership = principal.memberships.find(each => each.orgId === collection.orgId);
  if (membership === undefined || !scopeReaches(membership.scopes, 'collections', collection.id))
    return undefined;
  return membership;
}

/**
 * The role of a principal on a collection: the highest of all paths that grant one; undefined when none does, and
 * then the collection does not exist for it. Source: collections contract, "Who may do what".
 */
export function collectionRole(
  principal: Principal,
  membership: Membership,
  collection: Collection,
): CollectionRole | undefined {
  if (principal.collectionId !== undefined) {
    return principal.collectionId === collection.id ? COLLECTION_KEY_ROLE : undefined;
  }
  return highest([
    ownership(principal, collection),
    organizationRole(principal, membership),
    guest(principal, collection),
  ]);
}

function ownership(principal: Principal, collection: Collection): CollectionRole | undefined {
  return principal.type === collection.ownerType && principal.id === collection.ownerId ? 'owner' : undefined;
}

/** Owners and admins of the organization, and keys that nobody owns, which act for the organization. */
function organizationRole(principal: Principal, membership: Membership): CollectionRole | undefined {
  if (principal.type === 'key' || principal.type === 'service-account') return 'owner';
  if (principal.type === 'user' && membership.role === 'owner') return 'owner';
  return principal.type === 'user' && membership.role === 'admin' ? 'admin' : undefined;
}

function guest(principal: Principal, collection: Collection): CollectionRole | undefined {
  return principal.type === 'agent' && collection.agentIds.includes(principal.id) ? 'editor' : undefined;
}

function highest(roles: readonly (CollectionRole | undefined)[]): CollectionRole | undefined {
  return [...COLLECTION_ROLES].reverse().find(role => roles.includes(role));
}
