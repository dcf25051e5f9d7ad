import { Column, PrimaryColumn } from 'typeorm';

/** The columns that keys and service accounts of an organization share: their names, rights and secret. */
export abstract class OrgCredential {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  orgId: string;

  /** Unique in the organization; for a key also among the keys of its collections. */
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

  @Column('boolean', { default: false })
  disabled: boolean;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
