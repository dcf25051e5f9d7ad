import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A role that an organization made for itself. Dies by hand, once nobody has it, or with its organization. */
@Entity('org_roles')
export class OrgRole {
  @PrimaryColumn('uuid')
  orgId: string;

  @PrimaryColumn('text')
  slug: string;

  @Column('text')
  name: string;

  @Column('text', { array: true, default: [] })
  permissions: string[];

  @Column('text', { array: true, default: [] })
  scopes: string[];

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
