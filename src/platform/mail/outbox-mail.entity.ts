import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A mail that is to be sent or was. The row stays for two hours, so that mails can be counted; its content is removed when
 * the mail was sent or given up.
 */
@Entity('mail_outbox')
export class OutboxMail {
  @PrimaryColumn('uuid')
  id: string;

  @Column('text')
  kind: string;

  /** Hash of the address in lower case. */
  @Column('text')
  recipientHash: string;

  /** The organization that caused the mail. */
  @Column('uuid', { nullable: true })
  orgId: string | null;

  /** Encrypted address, subject and text. Null after the mail was sent or given up. */
  @Column('text', { nullable: true })
  sealed: string | null;

  @Column('integer', { default: 0 })
  attempts: number;

  @Column('timestamptz', { default: () => 'clock_timestamp()' })
  createdAt: Date;

  /** When it is sent, again if an attempt fails or its instance ends. Null after it was sent or given up. */
  @Column('timestamptz', { nullable: true })
  dueAt: Date | null;

  @Column('timestamptz', { nullable: true })
  attemptedAt: Date | null;

  /** When sending is given up. */
  @Column('timestamptz')
  expiresAt: Date;

  @Column('timestamptz', { nullable: true })
  sentAt: Date | null;
}

/** The context to which the encrypted content of a mail is bound. */
export function sealedMailFor(id: string): string {
  return `mail:${id}`;
}
