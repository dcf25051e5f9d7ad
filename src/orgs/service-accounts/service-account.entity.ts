import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A program that signs in to one organization with a secret. Dies by hand or with the organization. */
@Entity('service_accounts')
export class ServiceAccount {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  orgId: string;

  /** Unique in the organization. */
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

  /** The recognisable start and the last four characters of the secret. */
  @Column('text')
  prefix: string;

  @Column('boolean', { default: false })
  disabled: boolean;

  /** The user who stands behind what it creates. */
  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** When it last got a token. */
  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;
}
