import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A user's place in an organization. Dies when they leave or are removed. */
@Entity('org_memberships')
export class OrgMembership {
  @PrimaryColumn('uuid')
  orgId: string;

  @PrimaryColumn('uuid')
  userId: string;

  @Column('text')
  roleSlug: string;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  joinedAt: Date;
}
