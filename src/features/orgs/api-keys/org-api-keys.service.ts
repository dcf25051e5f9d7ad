import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Clock } from '../../../base/kernel/clock.js';
import type { GrantParts } from '../../../base/kernel/grant-parts.js';
import type { Membership, Principal } from '../../../base/kernel/principal.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { LastUses } from '../../identity/last-uses.service.js';
import { scopesInCommon } from '../granting.js';
import {
  MEMBERSHIP_COLUMNS,
  MEMBERSHIP_JOINS,
  type MembershipRow,
  membershipOf,
} from '../members/membership.entity.js';
import { ipAllowed } from './key-rights.js';
import { orgSlugOf } from './key-text.js';

/** Authenticates callers by API keys of organizations and collections. */
@Injectable()
export class OrgApiKeys {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    private readonly lastUses: LastUses,
  ) {}

  /**
   * The principal of a call with this key from this address; undefined when the key is not valid, for any reason. One
   * round trip. The result holds for this address only.
   */
  async authenticate(rawKey: string, ip: string | undefined): Promise<Principal | undefined> {
    const key = await this.find(rawKey, ip);
    if (key === undefined) return undefined;
    this.lastUses.write('org_api_keys', { id: key.id, lastUsedAt: key.last_used_at });
    return principalOf(key);
  }

  /**
   * The principal of the key with this id, which another service has verified; undefined when it is no longer valid.
   */
  async identify(id: string, ip: string | undefined): Promise<Principal | undefined> {
    const key = await this.live(id);
    return key !== undefined && ipAllowed(key.ip_allow_list, ip) ? principalOf(key) : undefined;
  }

  /** The principal of a call with the key from an address that it allows; undefined when the key is not valid. */
  async found(id: string): Promise<Principal | undefined> {
    const key = await this.live(id);
    return key && principalOf(key);
  }

  private async live(id: string): Promise<LiveKey | undefined> {
    const [key]: LiveKey[] = await this.source.query(FIND_LIVE_KEY_BY_ID, [this.clock.now(), id]);
    return key;
  }

  /** The id of the key; undefined unless it is valid and belongs to the organization. */
  async validate(orgSlug: string, rawKey: string, ip: string | undefined): Promise<string | undefined> {
    return orgSlugOf(rawKey) === orgSlug ? (await this.find(rawKey, ip))?.id : undefined;
  }

  private async find(rawKey: string, ip: string | undefined): Promise<LiveKey | undefined> {
    const orgSlug = orgSlugOf(rawKey);
    if (orgSlug === undefined) return undefined;
    const values = [this.clock.now(), this.secrets.hashes(rawKey), orgSlug];
    const [key]: LiveKey[] = await this.source.query(FIND_LIVE_KEY, values);
    return key !== undefined && ipAllowed(key.ip_allow_list, ip) ? key : undefined;
  }
}

/** A valid key with its organization and the user or agent that it acts as. */
interface LiveKey extends Omit<MembershipRow, 'role_slug'> {
  readonly role_slug: string | null;
  readonly id: string;
  readonly slug: string;
  readonly permissions: string[];
  readonly scopes: string[];
  readonly owner_type: 'user' | 'agent' | null;
  readonly owner_id: string | null;
  readonly ip_allow_list: string[];
  readonly collection_id: string | null;
  readonly created_by: string | null;
  readonly last_used_at: Date | null;
  /** When the sent secret expires. */
  readonly valid_until: Date | null;
  readonly user_email: string | null;
  readonly user_email_verified: boolean | null;
  readonly rules: GrantParts['rules'];
  readonly fields: GrantParts['fields'];
  readonly limits: GrantParts['limits'];
  readonly user_anonymous: boolean | null;
  readonly agent_slug: string | null;
}

/** $1: now. A key whose owner was deleted or disabled is not valid. */
const liveKeys = (validUntil: string, which: string) => `
  SELECT k.id, k.slug, k.permissions, k.scopes, k.owner_type, k.owner_id, k.ip_allow_list, k.collection_id,
    k.created_by, k.last_used_at, k.rules, k.fields, k.limits, u.email AS user_email,
    u.email_verified AS user_email_verified, u.anonymous AS user_anonymous, a.slug AS agent_slug,
    ${validUntil} AS valid_until,
    ${MEMBERSHIP_COLUMNS}
  FROM org_api_keys k
  JOIN orgs o ON o.id = k.org_id AND o.deleted_at IS NULL
  LEFT JOIN users u ON k.owner_type = 'user' AND u.id = k.owner_id AND u.status = 'active'
  LEFT JOIN org_memberships m ON m.org_id = k.org_id AND m.user_id = u.id
  ${MEMBERSHIP_JOINS}
  LEFT JOIN agents a ON k.owner_type = 'agent' AND a.id = k.owner_id AND a.org_id = k.org_id
  WHERE NOT k.disabled AND (k.expires_at IS NULL OR k.expires_at > $1) AND ${which}
    AND (k.owner_type IS NULL OR m.user_id IS NOT NULL OR a.id IS NOT NULL)`;

/** $1: now; $2: hashes of the secret; $3: the organization's slug in its text. */
const FIND_LIVE_KEY = liveKeys(
  'LEAST(k.expires_at, CASE WHEN k.secret_hash <> ALL ($2) THEN k.previous_valid_until END)',
  `o.slug = $3
    AND (k.secret_hash = ANY ($2) OR (k.previous_secret_hash = ANY ($2) AND k.previous_valid_until > $1))`,
);

/** $1: now; $2: id of the key. */
const FIND_LIVE_KEY_BY_ID = liveKeys('k.expires_at', 'k.id = $2');

function keyGrantOf({ rules, fields, limits }: LiveKey): Pick<Principal, 'keyGrant'> {
  return rules || fields || limits ? { keyGrant: { rules, fields, limits } } : {};
}

/** The principal of a call with the key: the user or agent that owns it, or else the key itself. */
function principalOf(key: LiveKey): Principal {
  const owner = ownerOf(key);
  return {
    ...owner,
    credential: 'org-api-key',
    credentialId: key.id,
    activeOrgSlug: key.org_slug,
    sessionId: undefined,
    expiresAt: key.valid_until === null ? undefined : Math.floor(key.valid_until.getTime() / 1000),
    collectionId: key.collection_id ?? undefined,
    ...keyGrantOf(key),
    createdBy: key.created_by ?? undefined,
    firstParty: true,
  };
}

type Owner = Pick<
  Principal,
  'type' | 'id' | 'slug' | 'email' | 'emailVerified' | 'anonymous' | 'memberships' | 'narrowedTo'
>;

function ownerOf(key: LiveKey): Owner {
  if (key.owner_type === 'user') return userOf(key);
  const own = { email: null, anonymous: false, narrowedTo: undefined, memberships: [keyMembership(key)] };
  return key.owner_type === 'agent'
    ? { ...own, type: 'agent', id: key.owner_id as string, slug: key.agent_slug ?? undefined }
    : { ...own, type: 'key', id: key.id, slug: key.slug };
}

function userOf(key: LiveKey): Owner {
  const membership = membershipOf(key as MembershipRow);
  return {
    type: 'user',
    id: key.owner_id as string,
    slug: undefined,
    email: key.user_email,
    emailVerified: key.user_email_verified ?? false,
    anonymous: key.user_anonymous ?? false,
    memberships: [{ ...membership, scopes: scopesInCommon(membership.scopes, key.scopes) }],
    narrowedTo: key.permissions,
  };
}

function keyMembership(key: LiveKey): Membership {
  return {
    orgId: key.org_id,
    orgSlug: key.org_slug,
    orgName: key.org_name,
    role: undefined,
    roleName: undefined,
    permissions: key.permissions,
    scopes: key.scopes,
    groups: [],
  };
}
