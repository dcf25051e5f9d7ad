import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Permission } from '../../kernel/permission.js';

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

/** What somebody with the role may do in the organization. */
export interface Role {
  readonly slug: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly scopes: readonly string[];
}

/** The role that only its holders give, change or take away. */
export const OWNER = 'owner';

/** The roles that every organization has. Source: collections contract, "Who may do what". */
export const BUILT_IN_ROLES: readonly Role[] = [
  { slug: OWNER, name: 'Owner', permissions: ['*'], scopes: [] },
  { slug: 'admin', name: 'Admin', permissions: ['*'], scopes: [] },
  { slug: 'member', name: 'Member', permissions: ['collections:*'], scopes: [] },
];

export function builtInRole(slug: string): Role | undefined {
  return BUILT_IN_ROLES.find(role => role.slug === slug);
}
