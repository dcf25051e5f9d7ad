import type { JWK } from 'jose';
import { Column, Entity, PrimaryColumn } from 'typeorm';

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
