import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A person who can sign in. Anonymous users are removed after ANONYMOUS_MAX_IDLE_DAYS without use, others only by hand. */
@Entity('users')
export class User {
  @PrimaryColumn('uuid')
  id: string;

  /** Unique without regard to case; null for anonymous users. */
  @Column('text', { nullable: true })
  email: string | null;

  @Column('boolean', { default: false })
  emailVerified: boolean;

  @Column('text', { nullable: true })
  firstName: string | null;

  @Column('text', { nullable: true })
  lastName: string | null;

  @Column('text', { default: 'active' })
  status: 'active' | 'disabled';

  @Column('boolean', { default: false })
  anonymous: boolean;

  /**
   * The organization whose invitation or identity provider created the account, and which may therefore make a recovery
   * link for it. Null: the person came on their own, or it is not known.
   */
  @Column('uuid', { nullable: true })
  homeOrgId: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  lastSeenAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

/** A program that owns collections in one organization. Dies by hand or with its organization. */
@Entity('agents')
export class Agent {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  orgId: string;

  /** Unique in the organization. */
  @Column('text')
  slug: string;

  @Column('text')
  name: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}
