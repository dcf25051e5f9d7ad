import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { type GrantParts, shownParts } from '../../../base/kernel/grant-parts.js';
import { isUuid, newId } from '../../../base/kernel/id.js';
import { creatorOf, type Membership } from '../../../base/kernel/principal.js';
import { unlessTaken } from '../../../base/kernel/sql-state.js';
import { type AuditEntry, AuditLog } from '../../../platform/audit/audit-log.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Capacity } from '../../../platform/database/capacity.js';
import { lockOrg } from '../org-lock.js';
import { sentFields } from '../right.fields.js';
import {
  assertAlive,
  assertFuture,
  assertMayMint,
  assertMayRenew,
  assertOwnerExists,
  graceEnd,
  onlyWeakens,
  requireKeyPermissions,
} from './key-rights.js';
import { keyPrefix, newKeyText } from './key-text.js';
import { OrgApiKey } from './org-api-key.entity.js';

/** What the caller chooses of a new key. */
type ApiKeyDraft = Pick<OrgApiKey, 'slug' | 'name' | 'permissions'> &
  Partial<
    Pick<OrgApiKey, 'scopes' | 'expiresAt' | 'ownerType' | 'ownerId' | 'ipAllowList' | 'collectionId'>
  > &
  GrantParts;

type ApiKeyChange = Partial<
  Pick<OrgApiKey, 'name' | 'permissions' | 'scopes' | 'expiresAt' | 'disabled' | 'ipAllowList'>
> &
  GrantParts;

/** The key with its secret, which is not stored and can be shown only once. */
export interface MintedKey {
  readonly key: OrgApiKey;
  readonly secret: string;
}

/**
 * Creates, changes and revokes keys of organizations and collections, in the caller's transaction and with an audit
 * event. Nobody can mint, widen or rotate a key that holds more rights than they do.
 */
@Injectable()
export class ApiKeyMint {
  constructor(
    private readonly audit: AuditLog,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    private readonly capacity: Capacity,
  ) {}

  /** 409 when the slug is taken. */
  async mint(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    draft: ApiKeyDraft,
  ): Promise<MintedKey> {
    assertMayMint(call, membership, { ...draft, scopes: draft.scopes ?? [] });
    requireKeyPermissions(draft);
    assertFuture(draft, this.clock.now());
    await lockOrg(manager, membership.orgId, 'keep');
    await this.capacity.assertRoom(manager, 'org_api_keys', membership.orgId);
    await assertOwnerExists(manager, membership.orgId, draft);
    const secret = newKeyText(membership.orgSlug);
    const key = this.newKey(call, membership, draft, secret);
    await unlessTaken(
      manager.insert(OrgApiKey, key),
      `slug: another key of the organization already has the slug ${draft.slug}.`,
    );
    await this.record(manager, call, 'minted', key);
    return { key, secret };
  }

  /** Locks the key for this transaction. 404 when the organization or the collection has no key with this id. */
  async find(
    manager: EntityManager,
    where: { orgId: string; id: string; collectionId?: string },
  ): Promise<OrgApiKey> {
    const lock = { mode: 'pessimistic_write' } as const;
    const key = isUuid(where.id) ? await manager.findOne(OrgApiKey, { where, lock }) : null;
    if (key === null) throw new PlatformError('NotFound', 'There is no API key with this id.');
    return key;
  }

  async update(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    key: OrgApiKey,
    change: ApiKeyChange,
  ): Promise<OrgApiKey> {
    const after = manager.create(OrgApiKey, { ...key, ...change });
    const otherRights = (change.permissions ?? change.scopes) !== undefined;
    if (!onlyWeakens(change)) assertMayRenew(call, membership, after, { otherRights });
    requireKeyPermissions(after);
    if (change.expiresAt !== undefined) assertFuture(after, this.clock.now());
    await manager.update(OrgApiKey, key.id, change);
    await this.record(manager, call, 'updated', after, key);
    return after;
  }

  /**
   * Sets a new secret. The old one expires after `graceSeconds`, and never later than it would have without rotation.
   */
  async rotate(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    key: OrgApiKey,
    { graceSeconds = 0, expiresAt = key.expiresAt }: { graceSeconds?: number; expiresAt?: Date | null },
  ): Promise<MintedKey> {
    assertMayRenew(call, membership, key);
    const now = this.clock.now();
    if (expiresAt === key.expiresAt) assertAlive(key, now);
    else assertFuture({ ...key, expiresAt }, now);
    const secret = newKeyText(membership.orgSlug);
    const previousValidUntil = graceEnd(key, graceSeconds, now);
    const change = {
      expiresAt,
      secretHash: this.secrets.hash(secret),
      prefix: keyPrefix(secret),
      previousSecretHash: previousValidUntil && key.secretHash,
      previousValidUntil,
    };
    await manager.update(OrgApiKey, key.id, change);
    const rotated = manager.create(OrgApiKey, { ...key, ...change });
    await this.record(manager, call, 'rotated', rotated, key);
    return { key: rotated, secret };
  }

  async revoke(manager: EntityManager, call: Call, key: OrgApiKey): Promise<void> {
    await manager.delete(OrgApiKey, key.id);
    await this.record(manager, call, 'revoked', undefined, key);
  }

  private newKey({ principal }: Call, { orgId }: Membership, draft: ApiKeyDraft, secret: string): OrgApiKey {
    return Object.assign(new OrgApiKey(), {
      scopes: [],
      expiresAt: null,
      ownerType: null,
      ownerId: null,
      ipAllowList: [],
      collectionId: null,
      ...{ rules: null, fields: null, limits: null },
      ...sentFields(draft),
      id: newId(),
      orgId,
      secretHash: this.secrets.hash(secret),
      prefix: keyPrefix(secret),
      previousSecretHash: null,
      previousValidUntil: null,
      disabled: false,
      createdBy: creatorOf(principal),
      createdAt: this.clock.now(),
      lastUsedAt: null,
    });
  }

  private record(
    manager: EntityManager,
    call: Call,
    act: ApiKeyAct,
    after: OrgApiKey | undefined,
    before?: OrgApiKey,
  ): Promise<void> {
    const { orgId } = (after ?? before) as OrgApiKey;
    return this.audit.record(manager, call, orgId, apiKeyEvent(act, after, before));
  }
}

type ApiKeyAct = 'minted' | 'updated' | 'rotated' | 'revoked';

/** The audit event of a change of a key. It never contains the secret or its hash. */
function apiKeyEvent(
  act: ApiKeyAct,
  after: OrgApiKey | undefined,
  before: OrgApiKey | undefined,
): AuditEntry {
  const key = (after ?? before) as OrgApiKey;
  return {
    type: key.collectionId === null ? `orgs.apikeys.${act}` : collectionEvent(act),
    target: { type: 'apikey', id: key.id, name: key.slug },
    changes: {
      ...(before && { before: loggable(before) }),
      ...(after && { after: loggable(after) }),
    },
  };
}

/** The collections contract names the first event of a collection key `created` instead of `minted`. */
function collectionEvent(act: ApiKeyAct): string {
  return `collections.apikeys.${act === 'minted' ? 'created' : act}`;
}

function loggable(key: OrgApiKey): object {
  const { name, permissions, scopes, expiresAt, disabled, ownerType, ownerId, ipAllowList, collectionId } =
    key;
  const { previousValidUntil } = key;
  return {
    name,
    permissions,
    scopes,
    expiresAt,
    previousValidUntil,
    disabled,
    ownerType,
    ownerId,
    ipAllowList,
    collectionId,
    ...shownParts(key),
  };
}
