import { Column, Entity } from 'typeorm';
import type { Principal } from '../../../base/kernel/principal.js';
import { OrgCredential } from '../org-credential.js';

/**
 * An account for a program, which exchanges a secret for tokens of one organization. Deleted by a request or with the
 * organization.
 */
@Entity('service_accounts')
export class ServiceAccount extends OrgCredential {
  /** The user who created it, directly or by a key. Collections that it creates belong to this user. */
  @Column('uuid', { nullable: true })
  createdBy: string | null;

  /** When it last received a token. */
  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;
}

/** A service account that is not disabled, with its organization. */
export interface LiveServiceAccount {
  readonly id: string;
  readonly slug: string;
  readonly permissions: string[];
  readonly scopes: string[];
  readonly created_by: string | null;
  readonly org_id: string;
  readonly org_slug: string;
  readonly org_name: string;
}

/** Columns of a LiveServiceAccount, of account `a` in organization `o`. Needs the condition LIVE_SERVICE_ACCOUNT. */
export const LIVE_SERVICE_ACCOUNT_COLUMNS = `a.id, a.slug, a.permissions, a.scopes, a.created_by,
  o.id AS org_id, o.slug AS org_slug, o.name AS org_name`;

/** The condition that `a` belongs to `o` and neither is disabled or deleted. */
export const LIVE_SERVICE_ACCOUNT = 'a.org_id = o.id AND NOT a.disabled AND o.deleted_at IS NULL';

/** `sub` of its JWTs (platform contract, Organizations). */
export function subjectOf({ org_slug, slug }: Pick<LiveServiceAccount, 'org_slug' | 'slug'>): string {
  return `sa:${org_slug}:${slug}`;
}

/** The principal of a call in a session of the account. `expiresAt` is in Unix seconds. */
export function serviceAccountPrincipal(
  account: LiveServiceAccount,
  { sessionId, expiresAt }: { readonly sessionId: string; readonly expiresAt: number },
): Principal {
  const { id, slug, permissions, scopes, created_by, org_id, org_slug, org_name } = account;
  const noRole = { role: undefined, roleName: undefined, groups: [] };
  return Object.freeze({
    type: 'service-account',
    id,
    slug,
    email: null,
    anonymous: false,
    credential: 'service-account',
    credentialId: sessionId,
    sessionId,
    expiresAt,
    firstParty: true,
    memberships: [{ orgId: org_id, orgSlug: org_slug, orgName: org_name, permissions, scopes, ...noRole }],
    activeOrgSlug: org_slug,
    narrowedTo: undefined,
    collectionId: undefined,
    createdBy: created_by ?? undefined,
  });
}
