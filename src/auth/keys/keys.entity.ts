import type { JWK } from 'jose';
import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

export type SigningKeyState = 'next' | 'active' | 'rotated';

/** A key that signs JWTs (spec 3.2). At most one is active; the row dies once its last token has expired. */
@Entity('signing_keys')
export class SigningKey {
  @PrimaryColumn({ type: 'text' })
  kid: string;

  /** The only algorithm this key ever signs and verifies with. */
  @Column({ type: 'text' })
  algorithm: string;

  @Column({ type: 'text' })
  state: SigningKeyState;

  @Column({ type: 'jsonb' })
  publicJwk: JWK;

  /** Sealed with the master key; `kid` and algorithm are the associated data. */
  @Column({ type: 'text' })
  sealedPrivateJwk: string;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  @Column({ type: 'timestamptz', nullable: true })
  activatedAt: Date | null;

  @Column({ type: 'timestamptz', nullable: true })
  rotatedAt: Date | null;
}

/** A master key that this database was used with, by its name in SECRETS_MASTER_KEYS. Never dies: hashes name it. */
@Entity('master_keys')
export class MasterKey {
  @PrimaryColumn({ type: 'text' })
  name: string;

  /** What its hashes were made with, sealed: by this key itself, after a re-encryption by the one that did it. */
  @Column({ type: 'text' })
  sealedPepper: string;

  @CreateDateColumn({ type: 'timestamptz' })
  createdAt: Date;
}
