import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import { Secrets } from '../../config/secrets.js';
import type { Call } from '../../kernel/call.js';
import { Clock } from '../../kernel/clock.js';
import { invalid, PlatformError } from '../../kernel/errors.js';
import { isUuid, newId } from '../../kernel/id.js';
import type { Membership } from '../../kernel/principal.js';
import { isUniqueViolation } from '../../kernel/sql-state.js';
import { assertMayGrant } from '../granting.js';
import { sentFields } from '../sent-fields.js';
import { type ApiKeyAct, apiKeyEvent } from './api-key-event.js';
import { assertMayActAs, assertOwnerExists } from './key-owner.js';
import { keyPrefix, newKeyText } from './key-text.js';
import { OrgApiKey } from './org-api-key.entity.js';

/** A key to be; the rest is decided at minting. */
export type ApiKeyDraft = Pick<OrgApiKey, 'slug' | 'name' | 'permissions'> &
  Partial<Pick<OrgApiKey, 'scopes' | 'expiresAt' | 'ownerType' | 'ownerId' | 'ipAllowList' | 'collectionId'>>;

export type ApiKeyChange = Partial<
  Pick<OrgApiKey, 'name' | 'permissions' | 'scopes' | 'expiresAt' | 'disabled' | 'ipAllowList'>
>;

/** `secret` is to be shown once; it is nowhere else. */
export interface MintedKey {
  readonly key: OrgApiKey;
  readonly secret: string;
}

/**
 * Makes keys and changes them, those of organizations and of collections alike, each with its audit event in the
 * caller's transaction. Nobody mints, widens or rotates a key beyond what they hold.
 */
@Injectable()
export class ApiKeyMint {
  constructor(
    private readonly audit: AuditLog,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
  ) {}

  /** 409 when the slug is taken. */
  async mint(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    draft: ApiKeyDraft,
  ): Promise<MintedKey> {
    this.assertMayHold(call, membership, { ...draft, scopes: draft.scopes ?? [] });
    this.assertFuture(draft);
    await assertOwnerExists(manager, membership.orgId, draft);
    const secret = newKeyText(membership.orgSlug);
    const key = this.newKey(call, membership, draft, secret);
    try {
      await manager.insert(OrgApiKey, key);
    } catch (error) {
      if (!isUniqueViolation(error)) throw error;
      throw new PlatformError('AlreadyExists', `slug: the organization has a key ${draft.slug} already.`);
    }
    await this.record(manager, call, 'minted', key);
    return { key, secret };
  }

  /** The key, locked for this transaction; 404 when the organization (or its collection) has none of this id. */
  async find(
    manager: EntityManager,
    where: { orgId: string; id: string; collectionId?: string },
  ): Promise<OrgApiKey> {
    const lock = { mode: 'pessimistic_write' } as const;
    const key = isUuid(where.id) ? await manager.findOne(OrgApiKey, { where, lock }) : null;
    if (key === null) throw new PlatformError('NotFound', 'There is no such API key.');
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
    if (!onlyWeakens(change)) this.assertMayHold(call, membership, after);
    if (change.expiresAt !== undefined) this.assertFuture(after);
    await manager.update(OrgApiKey, key.id, change);
    await this.record(manager, call, 'updated', after, key);
    return after;
  }

  /** A new secret; the old one dies at once, or after the grace, but never later than it would have. */
  async rotate(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    key: OrgApiKey,
    { graceSeconds = 0, expiresAt = key.expiresAt }: { graceSeconds?: number; expiresAt?: Date | null },
  ): Promise<MintedKey> {
    this.assertMayHold(call, membership, key);
    if (expiresAt !== key.expiresAt) this.assertFuture({ ...key, expiresAt });
    else if (this.isPast(expiresAt))
      throw new PlatformError('Conflict', 'The key has expired: mint another.');
    const secret = newKeyText(membership.orgSlug);
    const graceEnd = this.graceEnd(key, graceSeconds);
    const change = {
      expiresAt,
      secretHash: this.secrets.hash(secret),
      prefix: keyPrefix(secret),
      previousSecretHash: graceEnd && key.secretHash,
      previousValidUntil: graceEnd,
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

  private assertMayHold(
    { principal }: Call,
    membership: Membership,
    key: Pick<OrgApiKey, 'permissions' | 'scopes'> & Partial<OrgApiKey>,
  ): void {
    if (!principal.firstParty || principal.anonymous || principal.collectionId !== undefined) {
      throw new PlatformError('Forbidden', 'This credential cannot be used to manage API keys.');
    }
    assertMayGrant(principal, membership, key);
    assertMayActAs(principal, membership, key);
  }

  private assertFuture({ expiresAt, collectionId }: Partial<OrgApiKey>): void {
    if (!this.isPast(expiresAt)) return;
    throw invalid(`${collectionId ? 'expires_at' : 'expiresAt'}: the key would be expired already.`);
  }

  private isPast(expiresAt: Date | null | undefined): boolean {
    return expiresAt != null && expiresAt <= this.clock.now();
  }

  private graceEnd(key: OrgApiKey, graceSeconds: number): Date | null {
    if (graceSeconds === 0) return null;
    const end = new Date(this.clock.now().getTime() + graceSeconds * 1000);
    return key.expiresAt !== null && key.expiresAt < end ? key.expiresAt : end;
  }

  private newKey({ principal }: Call, { orgId }: Membership, draft: ApiKeyDraft, secret: string): OrgApiKey {
    return Object.assign(new OrgApiKey(), {
      scopes: [],
      expiresAt: null,
      ownerType: null,
      ownerId: null,
      ipAllowList: [],
      collectionId: null,
      ...sentFields(draft),
      id: newId(),
      orgId,
      secretHash: this.secrets.hash(secret),
      prefix: keyPrefix(secret),
      previousSecretHash: null,
      previousValidUntil: null,
      disabled: false,
      createdBy: principal.type === 'user' ? principal.id : (principal.createdBy ?? null),
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

/** Disabling and renaming give nobody anything, so they are free for every key manager. */
function onlyWeakens(change: ApiKeyChange): boolean {
  const { name, disabled, ...rest } = change;
  return disabled !== false && Object.values(rest).every(value => value === undefined);
}
