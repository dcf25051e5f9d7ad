import type { GrantParts } from './grant-parts.js';
import { isUuid } from './id.js';
import { covers, type Permission, type WorkspaceKeyRule } from './permission.js';

/** A caller's membership in one organization. For a key: the key's own organization, permissions and scopes. */
export interface Membership {
  readonly orgId: string;
  readonly orgSlug: string;
  readonly orgName: string;
  /** Role slug; undefined for keys and service accounts, which have permissions but no role. */
  readonly role: string | undefined;
  readonly roleName: string | undefined;
  readonly permissions: readonly Permission[];
  readonly scopes: readonly string[];
  readonly groups: readonly string[];
  /**
   * How the person joined, until somebody with `orgs:members:manage` gives them another role: by anonymous login, or by
   * the sign-up of an application. Undefined for other members and for keys.
   */
  readonly via?: JoinedVia | undefined;
}

export type JoinedVia = 'anonymous' | 'signUp';

/**
 * `anonymous` for anonymous members, `signUp` for app users; undefined for everybody else. What is shared with the
 * organization does not reach these people, and they do not see who is in it. Agents that they act for are limited too.
 */
export function limitedAs(
  { anonymous }: Pick<Principal, 'anonymous'>,
  { via }: Pick<Membership, 'via'>,
): JoinedVia | undefined {
  return anonymous ? 'anonymous' : via;
}

/**
 * `workspace`: a workspace that calls another one. Only the runtime creates such a principal; there is no credential
 * for it.
 */
type PrincipalType = 'user' | 'agent' | 'key' | 'service-account' | 'workspace';

type CredentialKind = 'jwt' | 'access-token' | 'org-api-key' | 'workspace-api-key' | 'service-account';

/**
 * The authenticated caller, independent of the kind of credential. The authentication guard creates it once per
 * credential, and no feature checks how the caller logged in. Immutable, shared between requests.
 */
export interface Principal {
  /** A key owned by a user or an agent acts as that principal; an ownerless one is of type `key`. */
  readonly type: PrincipalType;
  readonly id: string;
  readonly credential: CredentialKind;
  /** Id of the session, access token or key row; never the secret. */
  readonly credentialId: string;
  readonly email: string | null;
  /** True when a person's account has proven its e-mail address. */
  readonly emailVerified?: boolean;
  /** Slug of the key or service account; undefined for people. */
  readonly slug: string | undefined;
  /** Memberships in the order they were joined (spec rule 11: the first is the default). */
  readonly memberships: readonly Membership[];
  /** The active organization stored in the session, or the organization of the key. */
  readonly activeOrgSlug: string | undefined;
  readonly sessionId: string | undefined;
  /** Unix time (seconds) at which the credential expires. */
  readonly expiresAt: number | undefined;
  /** Upper bound on permissions: a third-party token's scope, or a user-owned key's permissions. */
  readonly narrowedTo: readonly Permission[] | undefined;
  /** The only collection that a collection key can access. */
  readonly collectionId: string | undefined;
  /** The rules, fields and limits of a collection key. */
  readonly keyGrant?: GrantParts;
  /** The only workspace that a workspace key can access, and its rules there; undefined for every other credential. */
  readonly workspace?: {
    readonly id: string;
    readonly orgId: string;
    readonly rules: readonly WorkspaceKeyRule[];
  };
  /** The user who created this key, directly or through another key. This user owns what the key creates. */
  readonly createdBy: string | undefined;
  /** The user who acts for this agent with `x-platform-agent-id`; undefined when the agent itself calls. */
  readonly actingUserId?: string;
  /** The only path at which a JWT issued for one resource is accepted; undefined for every other credential. */
  readonly boundTo?: string;
  /** False for a JWT of a third-party OAuth client, which may not create credentials. */
  readonly firstParty: boolean;
  readonly anonymous: boolean;
}

/** The membership in an organization, by slug; undefined when there is none. */
export function membershipIn(principal: Principal, orgSlug: string): Membership | undefined {
  return principal.memberships.find(membership => membership.orgSlug === orgSlug);
}

/**
 * The active organization of a request outside `/v2/orgs/{orgSlug}` (spec rule 11): the session's, else the first
 * joined. A stored organization that the user has left is skipped.
 */
export function activeMembership(principal: Principal): Membership | undefined {
  const stored =
    principal.activeOrgSlug === undefined ? undefined : membershipIn(principal, principal.activeOrgSlug);
  return stored ?? principal.memberships[0];
}

/** The user who is recorded as the creator of what the principal creates; null when there is no user. */
export function creatorOf({ type, id, createdBy }: Principal): string | null {
  return type === 'user' ? id : (createdBy ?? null);
}

/**
 * The id that records get as their author (`_created_by`, `_updated_by`): of the user, agent, service account or ownerless key.
 * Null for the platform itself.
 */
export function authorOf({ type, id }: Pick<Principal, 'type' | 'id'>): string | null {
  return type !== 'workspace' && isUuid(id) ? id : null;
}

/** True when the caller has the permission in that organization and its credential is not narrowed to exclude it. */
export function holds(
  principal: Pick<Principal, 'narrowedTo'>,
  membership: Membership,
  needed: Permission,
): boolean {
  return (
    covers(membership.permissions, needed) &&
    (principal.narrowedTo === undefined || covers(principal.narrowedTo, needed))
  );
}
