import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Users with a verified e-mail address of the domain join with this role and these groups. */
export interface JoinRule {
  readonly domain: string;
  readonly roleSlug: string;
  readonly groups?: readonly string[];
}

export interface OrgAuth {
  readonly anonymous?: { readonly enabled: boolean; readonly role: string };
}

/** An organization. The row of a deleted one stays, so that its slug is never used again. */
@Entity('orgs')
export class Org {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text', { unique: true })
  slug: string;

  @Column('text')
  name: string;

  @Column('jsonb', { default: {} })
  settings: Record<string, unknown>;

  @Column('jsonb', { default: {} })
  subscription: Record<string, unknown>;

  @Column('text', { default: 'member' })
  defaultRole: string;

  @Column('jsonb', { default: [] })
  joinRules: readonly JoinRule[];

  @Column('jsonb', { default: {} })
  auth: OrgAuth;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;

  @Column('timestamptz', { nullable: true })
  deletedAt: Date | null;
}

/** The roles that people get by joining without an invitation. */
export function joiningRoles(org: Partial<Pick<Org, 'defaultRole' | 'joinRules' | 'auth'>>): string[] {
  const slugs = [
    org.defaultRole,
    ...(org.joinRules ?? []).map(rule => rule.roleSlug),
    org.auth?.anonymous?.role,
  ];
  return slugs.filter(slug => slug !== undefined);
}
