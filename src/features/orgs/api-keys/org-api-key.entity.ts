import { Column, Entity } from 'typeorm';
import type { GrantLimits, GrantPart } from '../../../base/kernel/grant-parts.js';
import { OrgCredential } from '../org-credential.js';

/**
 * A key of an organization or, with `collectionId`, of one of its collections. Deleted by a request, with the
 * collection or organization, and 30 days after it has expired.
 */
@Entity('org_api_keys')
export class OrgApiKey extends OrgCredential {
  @Column('text', { nullable: true, unique: true })
  previousSecretHash: string | null;

  /** When the secret before the last rotation expires. */
  @Column('timestamptz', { nullable: true })
  previousValidUntil: Date | null;

  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Column('text', { nullable: true })
  ownerType: 'user' | 'agent' | null;

  @Column('uuid', { nullable: true })
  ownerId: string | null;

  /** Addresses and CIDR ranges it may be used from; empty: from anywhere. */
  @Column('text', { array: true, default: [] })
  ipAllowList: string[];

  @Column('uuid', { nullable: true })
  collectionId: string | null;

  /** Rules, fields and limits of a collection key; null: it has none. */
  @Column('jsonb', { nullable: true })
  rules: GrantPart | null;

  @Column('jsonb', { nullable: true })
  fields: GrantPart | null;

  @Column('jsonb', { nullable: true })
  limits: GrantLimits | null;

  /** The user who minted it, or who created the key or service account that minted it. */
  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;
}
