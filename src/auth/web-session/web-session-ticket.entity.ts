import { Column, Entity, PrimaryColumn } from 'typeorm';

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
