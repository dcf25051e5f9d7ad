import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An e-mail domain that an organization claims or has proven. Deleted by a request or with the organization. */
@Entity('org_domains')
export class OrgDomain {
  @PrimaryColumn('uuid')
  orgId: string;

  /** In lower case and ASCII. */
  @PrimaryColumn('text')
  domain: string;

  /** The value for the TXT record. It is public, but different for every organization and claim. */
  @Column('text')
  token: string;

  @Column('timestamptz')
  createdAt: Date;

  /** Null: pending. A domain is verified for at most one organization. */
  @Column('timestamptz', { nullable: true })
  verifiedAt: Date | null;

  /** When DNS last answered a check that counted. */
  @Column('timestamptz', { nullable: true })
  checkedAt: Date | null;

  /** The number of daily checks in a row that did not find the record of the verified domain. */
  @Column('integer', { default: 0 })
  missed: number;
}
