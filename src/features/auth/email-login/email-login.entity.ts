import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * A sign-in by e-mail that somebody has begun. Whether a mail is sent is decided afterwards, so that the response does
 * not depend on it. Deleted by a job after it has expired.
 */
@Entity('email_logins')
export class EmailLogin {
  /** `login_id`: 128 bits in base64url. */
  @PrimaryColumn('text')
  id: string;

  /** Encrypted `EmailLoginRequest`. */
  @Column('text')
  sealed: string;

  /** Hash of the cookie of the browser that began it. */
  @Column('text')
  browserHash: string;

  /** Hash of the code in the mail; null if no mail is sent. */
  @Column('text', { nullable: true })
  codeHash: string | null;

  /** Hash of the secret in the link of the mail; null if no mail is sent. */
  @Column('text', { nullable: true, unique: true })
  linkHash: string | null;

  /** Codes that were tried. */
  @Column('integer', { default: 0 })
  tries: number;

  @Column('timestamptz', { nullable: true })
  decidedAt: Date | null;

  @Column('timestamptz', { nullable: true })
  usedAt: Date | null;

  @Column('timestamptz')
  createdAt: Date;

  @Column('timestamptz')
  expiresAt: Date;
}

/** The context to which the encrypted request is bound. */
export function sealedLoginFor(id: string): string {
  return `email-login:${id}`;
}
