import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An e-mail domain that an organization claims, or has proven. Removed by hand or with the organization. */
@Entity('org_domains')
export class OrgDomain {
  @PrimaryColumn('uuid')
  orgId: string;

  /** In lower case and ASCII. */
  @PrimaryColumn('text')
  domain: string;

  /** What the TXT record must hold. It is public, but different for every organization and claim. */
  @Column('text')
  token: string;

  @Column('timestamptz')
  createdAt: Date;

  /** Null: pending. Of one organization at most is a domain verified. */
  @Column('timestamptz', { nullable: true })
  verifiedAt: Date | null;

  /** The last lookup that DNS answered and that counted. */
  @Column('timestamptz', { nullable: true })
  checkedAt: Date | null;

  /** Daily checks in a row that did not find the record of a verified domain. */
  @Column('integer', { default: 0 })
  missed: number;
}
