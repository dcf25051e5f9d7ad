import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { Permission } from '../../../base/kernel/permission.js';

/** A role that an organization has created. Deleted by a request when nobody has it, or with the organization. */
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

/** A role in an organization, built in or created by it. */
export interface Role {
  readonly slug: string;
  readonly name: string;
  readonly permissions: readonly Permission[];
  readonly scopes: readonly string[];
}

/** Only owners can grant, change or remove this role. */
export const OWNER = 'owner';

/** The roles of every organization (collections contract, "Who may do what"). */
export const BUILT_IN_ROLES: readonly Role[] = [
  { slug: OWNER, name: 'Owner', permissions: ['*'], scopes: [] },
  { slug: 'admin', name: 'Admin', permissions: ['*'], scopes: [] },
  { slug: 'member', name: 'Member', permissions: ['collections:*'], scopes: [] },
];

export function builtInRole(slug: string): Role | undefined {
  return BUILT_IN_ROLES.find(role => role.slug === slug);
}
