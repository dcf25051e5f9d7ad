import { PlatformError } from '../../base/kernel/errors.js';
import type { GrantLimits } from '../../base/kernel/grant-parts.js';
import {
  COLLECTION_RIGHTS,
  type CollectionRight,
  type CollectionRole,
  roleReaches,
} from '../../base/kernel/permission.js';
import { holds, limitedAs, type Membership, type Principal } from '../../base/kernel/principal.js';
import type { Restrictions } from '../../engine/rules/grant.js';
import { callerGrants } from './caller-grants.js';
import type { BoundCollection } from './collection.entity.js';
import { boundAgents } from './collection-binding.entity.js';
import { callerPaths, highestRole, membershipFor } from './collection-role.js';

/** A caller, its role on one collection, and the records and fields that it reaches. */
export interface CallerRole {
  readonly principal: Principal;
  readonly membership: Membership;
  readonly collection: BoundCollection;
  readonly role: CollectionRole;
  /** Absent: the caller is unrestricted in everything. */
  readonly restrictions?: Restrictions;
  /** Absent: the general limits count. */
  readonly limits?: GrantLimits;
  /** True when the restrictions contain the current time, so that they hold for one request only. */
  readonly isTimed?: true;
  /** True when the rules of the caller have more conditions than one caller may have. Then it reaches no record. */
  readonly hasTooManyRules?: true;
}

/**
 * Rights whose effects would outlive the collection key or the application that used them. Both are refused these
 * rights.
 */
const OUTLIVING: ReadonlySet<CollectionRight> = new Set(['share', 'keys', 'webhooks']);

/**
 * The role of a principal on a collection, and its restrictions at a time; undefined when the principal cannot see the
 * collection.
 */
export function callerRole(
  principal: Principal,
  collection: BoundCollection,
  now: Date,
): CallerRole | undefined {
  const membership = membershipFor(principal, collection);
  if (membership === undefined) return undefined;
  const paths = callerPaths(principal, membership, collection);
  const role = highestRole(paths);
  if (role === undefined) return undefined;
  return { principal, membership, collection, role, ...callerGrants(principal, membership, paths, now) };
}

/** Throws 403 unless the role and the permission of the caller both include the right. */
export function requireRight(caller: CallerRole, right: CollectionRight): void {
  const refusal = missingRight(caller, right);
  if (refusal !== undefined) throw refusal;
}

export function hasRight(caller: CallerRole, right: CollectionRight): boolean {
  return missingFor(caller, right) === undefined;
}

/** The 403 for a caller without the right; undefined when it has the right. */
export function missingRight(caller: CallerRole, right: CollectionRight): RightMissing | undefined {
  const missing = missingFor(caller, right);
  return missing === undefined ? undefined : new RightMissing(missing, caller.collection);
}

/** Throws 403 for a caller whom rules or fields restrict. `what` completes "cannot". */
export function refuseRestricted({ restrictions }: CallerRole, what: string): void {
  if (restrictions === undefined) return;
  throw new PlatformError(
    'Forbidden',
    `Your access is restricted to some records or fields, so you cannot ${what}.`,
  );
}

/** Throws 403 for anonymous members and app users, who create no collections. */
export function requireMayCreate(principal: Principal, membership: Membership): void {
  if (limitedAs(principal, membership) === undefined) return;
  throw new PlatformError(
    'Forbidden',
    'People who joined anonymously or by the sign-up of an application cannot create collections.',
  );
}

/** Throws 403 unless the caller would have the right on a collection that it creates. */
export function requireRightOfOwner(
  principal: Principal,
  membership: Membership,
  right: CollectionRight,
): void {
  const missing = missingFor({ principal, membership, role: 'owner' }, right);
  if (missing !== undefined) throw new PlatformError('Forbidden', `agent_ids: ${missing}`);
}

/**
 * Throws 403 when the caller adds or removes agents that the collection is shared with, and may not share it. Ids that
 * stay are no change.
 */
export function requireAgentSharing(caller: CallerRole, agentIds: readonly string[] | undefined): void {
  if (agentIds === undefined) return;
  const before = boundAgents(caller.collection.bindings);
  const after = new Set(agentIds.map(id => id.toLowerCase()));
  if (after.size !== before.length || before.some(id => !after.has(id))) requireRight(caller, 'share');
}

/** What the caller needs for the right and does not have, as a sentence; undefined when it has the right. */
function missingFor(
  { principal, membership, role }: Omit<CallerRole, 'collection'>,
  right: CollectionRight,
): string | undefined {
  const needed = COLLECTION_RIGHTS[right];
  const keyOfCollection = principal.collectionId !== undefined;
  if (!roleReaches(role, needed.role) || (keyOfCollection && OUTLIVING.has(right)))
    return `This needs the role ${needed.role} on the collection.`;
  if (!principal.firstParty && OUTLIVING.has(right))
    return 'Applications cannot share collections or create keys and webhooks, because these would outlive their access.';
  return holds(principal, membership, needed.permission)
    ? undefined
    : `This needs the permission ${needed.permission}.`;
}

/** 403: the caller can see the collection, but its role or permission does not include the right. */
export class RightMissing extends PlatformError {
  constructor(
    message: string,
    readonly collection: BoundCollection,
  ) {
    super('Forbidden', message);
  }
}
