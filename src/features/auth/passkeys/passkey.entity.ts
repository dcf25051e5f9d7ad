import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A WebAuthn credential of a person. Deleted by a request, or with the person. */
@Entity('passkeys')
export class Passkey {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  userId: string;

  /** The id that the authenticator gave it, in base64url. */
  @Column('text', { unique: true })
  credentialId: string;

  /** A COSE key. */
  @Column('bytea')
  publicKey: Buffer;

  /** The signature counter of the last use; 0 for authenticators without one. A text, as PostgreSQL returns it. */
  @Column('bigint')
  signCount: string;

  @Column('text', { array: true, default: [] })
  transports: string[];

  @Column('text')
  name: string;

  @Column('timestamptz')
  createdAt: Date;

  /** Null before the first sign-in with it. */
  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;
}

/** What a started ceremony is for. A response can only complete a ceremony of its own kind. */
export type PasskeyPurpose = 'registration' | 'login' | 'invitation';

/** A challenge that a browser has got and not yet used. Deleted by its first use, or by a job after it has expired. */
@Entity('passkey_challenges')
export class PasskeyChallenge {
  @PrimaryColumn('text')
  challenge: string;

  /** Hash of the cookie of the browser. */
  @Column('text')
  browserHash: string;

  @Column('text')
  purpose: PasskeyPurpose;

  /** The person who gets the passkey; for an invitation the id of the future user. Null for a login. */
  @Column('uuid', { nullable: true })
  userId: string | null;

  @Column('uuid', { nullable: true })
  inviteId: string | null;

  /** The name of the future user. */
  @Column('text', { nullable: true })
  name: string | null;

  @Column('timestamptz')
  expiresAt: Date;
}
