import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A key of an organization or, with `collectionId`, of one of its collections. Deleted by a request, with the
 * collection or organization, and 30 days after it has expired.
 */
@Entity('org_api_keys')
export class OrgApiKey {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  orgId: string;

  /** Unique among all keys of the organization, including those of its collections. */
  @Column('text')
  slug: string;

  @Column('text')
  name: string;

  @Column('text', { array: true, default: [] })
  permissions: string[];

  @Column('text', { array: true, default: [] })
  scopes: string[];

  @Column('text', { unique: true })
  secretHash: string;

  /** The start and the last four characters of the secret, by which people recognise it. */
  @Column('text')
  prefix: string;

  @Column('text', { nullable: true, unique: true })
  previousSecretHash: string | null;

  /** When the secret before the last rotation expires. */
  @Column('timestamptz', { nullable: true })
  previousValidUntil: Date | null;

  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  @Column('boolean', { default: false })
  disabled: boolean;

  @Column('text', { nullable: true })
  ownerType: 'user' | 'agent' | null;

  @Column('uuid', { nullable: true })
  ownerId: string | null;

  /** Addresses and CIDR ranges it may be used from; empty: from anywhere. */
  @Column('text', { array: true, default: [] })
  ipAllowList: string[];

  @Column('uuid', { nullable: true })
  collectionId: string | null;

  /** The user who minted it, or who created the key or service account that minted it. */
  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;
}
