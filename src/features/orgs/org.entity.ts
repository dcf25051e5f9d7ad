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

/** Whether and how people sign up with their e-mail address, and what they get. */
export interface SignUp {
  /** True: people join by proving their address (`EMAIL_LOGIN`). */
  readonly email: boolean;
  readonly roleSlug: string;
  readonly groups?: readonly string[];
  /** Domains of the addresses. Empty or absent: all. */
  readonly domains?: readonly string[];
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

  /** Null: nobody has set it, so it is off. */
  @Column('jsonb', { nullable: true })
  signUp: SignUp | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;

  @Column('timestamptz', { nullable: true })
  deletedAt: Date | null;
}

/** The roles that people get by joining without an invitation. */
export function joiningRoles(
  org: Partial<Pick<Org, 'defaultRole' | 'joinRules' | 'auth' | 'signUp'>>,
): string[] {
  const slugs = [
    org.defaultRole,
    ...(org.joinRules ?? []).map(rule => rule.roleSlug),
    org.auth?.anonymous?.role,
    org.signUp?.roleSlug,
  ];
  return slugs.filter(slug => slug !== undefined);
}
