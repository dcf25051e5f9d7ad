import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { JoinedVia, Membership } from '../../../base/kernel/principal.js';
import { builtInRole } from '../roles/role.entity.js';

/** A user's membership in an organization. Deleted when they leave or are removed, or with the organization. */
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

  /**
   * The address by which the organization knows the member without the account having proven it: that of the
   * invitation they accepted, or of their sign-in at the organization's own provider for a proven domain.
   */
  @Column('text', { nullable: true })
  knownEmail: string | null;

  /**
   * `anonymous` or `signUp` for a person who joined by anonymous login or by the sign-up of an application, until somebody
   * gives them another role. `limitedAs` says what follows from it.
   */
  @Column('text', { nullable: true })
  via: JoinedVia | null;
}

/**
 * SQL: true when the e-mail address of account `u` selects member `m`. Other unproven addresses select nobody, because
 * people can get an account with the address of somebody else from another organization.
 */
export const ADDRESS_COUNTS = '(u.email_verified OR lower(m.known_email) = lower(u.email))';

export interface MembershipRow {
  readonly org_id: string;
  readonly org_slug: string;
  readonly org_name: string;
  readonly role_slug: string;
  readonly role_name: string | null;
  readonly role_permissions: string[] | null;
  readonly role_scopes: string[] | null;
  readonly group_slugs: string[] | null;
  readonly via: JoinedVia | null;
}

/** Columns of a MembershipRow, of membership `m` in organization `o`. Needs MEMBERSHIP_JOINS. */
export const MEMBERSHIP_COLUMNS = `o.id AS org_id, o.slug AS org_slug, o.name AS org_name, m.role_slug, m.via,
  r.name AS role_name, r.permissions AS role_permissions, r.scopes AS role_scopes,
  (SELECT array_agg(g.group_slug ORDER BY g.group_slug) FROM org_group_members g
    WHERE g.org_id = m.org_id AND g.user_id = m.user_id) AS group_slugs`;

export const MEMBERSHIP_JOINS = 'LEFT JOIN org_roles r ON r.org_id = m.org_id AND r.slug = m.role_slug';

/** The kernel's membership. A role that no longer exists grants nothing. */
export function membershipOf(row: MembershipRow): Membership {
  const builtIn = builtInRole(row.role_slug);
  return {
    orgId: row.org_id,
    orgSlug: row.org_slug,
    orgName: row.org_name,
    role: row.role_slug,
    roleName: builtIn?.name ?? row.role_name ?? row.role_slug,
    permissions: builtIn?.permissions ?? row.role_permissions ?? [],
    scopes: builtIn?.scopes ?? row.role_scopes ?? [],
    groups: row.group_slugs ?? [],
    ...(row.via != null && { via: row.via }),
  };
}
