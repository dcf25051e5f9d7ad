import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A person's sign-in. Its JWTs live no longer than it does; pruned after it expired. */
@Entity('sessions')
export class Session {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'uuid' })
  userId: string;

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
