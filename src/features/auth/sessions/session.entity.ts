import { Column, Entity, PrimaryColumn } from 'typeorm';

/** The sign-in of a person or a service account. Its JWTs are valid until it ends. Pruned after it has expired. */
@Entity('sessions')
export class Session {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  /** Null for the session of a service account. */
  @Column({ type: 'uuid', nullable: true })
  userId: string | null;

  /** Null for the session of a person. */
  @Column({ type: 'uuid', nullable: true })
  serviceAccountId: string | null;

  /** The OAuth client for which it was opened; `platform` for the platform itself. */
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

  /** Written at most once a minute. */
  @Column({ type: 'timestamptz' })
  lastUsedAt: Date;

  @Column({ type: 'timestamptz' })
  expiresAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  revokedAt: Date | null;

  /** The passkey with which it began; null for other ways to sign in. */
  @Column({ type: 'uuid', nullable: true })
  passkeyId: string | null;
}

/** The session of a person. */
export type PersonSession = Session & { readonly userId: string };

/** A ticket that signs a browser in to a session once (spec 3.1). Deleted with the session, or pruned after it has expired. */
@Entity('web_session_tickets')
export class WebSessionTicket {
  @PrimaryColumn({ type: 'text' })
  secretHash: string;

  @Column({ type: 'uuid' })
  sessionId: string;

  /** An absolute, normalised URL. */
  @Column({ type: 'text' })
  redirect: string;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  @Column({ type: 'timestamptz' })
  expiresAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  burnedAt: Date | null;
}
