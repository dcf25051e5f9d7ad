import type { JWK } from 'jose';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

export type SigningKeyState = 'next' | 'active' | 'rotated';

/** A key that signs JWTs (spec 3.2). At most one is active. Deleted after its last token has expired. */
@Entity('signing_keys')
export class SigningKey {
  @PrimaryColumn({ type: 'text' })
  kid: string;

  /** The only algorithm with which this key signs and verifies. */
  @Column({ type: 'text' })
  algorithm: string;

  @Column({ type: 'text' })
  state: SigningKeyState;

  @Column({ type: 'jsonb' })
  publicJwk: JWK;

  /** Encrypted with the master key. The associated data are `kid` and algorithm. */
  @Column({ type: 'text' })
  sealedPrivateJwk: string;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  activatedAt: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  rotatedAt: Date | null;
}

/** A master key that was used with this database, by its name in SECRETS_MASTER_KEYS. Never deleted, because hashes name it. */
@Entity('master_keys')
export class MasterKey {
  @PrimaryColumn({ type: 'text' })
  name: string;

  /** The pepper of its hashes, encrypted with this key, or with the key of the last re-encryption. */
  @Column({ type: 'text' })
  sealedPepper: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
