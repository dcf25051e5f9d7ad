import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The sign-in of a person or a service account. Its JWTs live no longer than it does; pruned after it expired. */
@Entity('sessions')
export class Session {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** Null for a service account's. */
  @Column({ type: 'uuid', nullable: true })
  userId: string | null;

  /** Null for a person's. */
  @Column({ type: 'uuid', nullable: true })
  serviceAccountId: string | null;

  /** The OAuth client it was opened for; `platform` for the platform itself. */
  @Column({ type: 'text' })
  clientId: string;

  @Column({ type: 'text', nullable: true })
  activeOrgSlug: string | null;

  @Column({ type: 'text', nullable: true })
  ip: string | null;

  @Column({ type: 'text', nullable: true })
  userAgent: string | null;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  /** To the minute. */
  @Column({ type: 'timestamptz' })
  lastUsedAt: Date;

  @Column({ type: 'timestamptz' })
  expiresAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  revokedAt: Date | null;
}

/** A person's sign-in. */
export type PersonSession = Session & { readonly userId: string };

/** A single-use way into the browser for a session (spec 3.1). Dies with its session, or pruned after it expired. */
@Entity('web_session_tickets')
export class WebSessionTicket {
  @PrimaryColumn({ type: 'text' })
  secretHash: string;

  @Column({ type: 'uuid' })
  sessionId: string;

  /** Absolute and normalised. */
  @Column({ type: 'text' })
  redirect: string;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  @Column({ type: 'timestamptz' })
  expiresAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  burnedAt: Date | null;
}
