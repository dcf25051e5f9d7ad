import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * An object that oidc-provider stores: a code, device code, refresh token, grant, interaction, browser session or client. Deleted with
 * the session of its grant, or pruned after it has expired.
 */
@Entity('oidc_payloads')
export class OidcPayload {
  /** Hash of kind and id. The ids of codes, tokens and cookies are secrets. */
  @PrimaryColumn({ type: 'text' })
  idHash: string;

  /** Name of the model in oidc-provider. */
  @Column({ type: 'text' })
  kind: string;

  /** Sealed with the master key; `idHash` is the associated data. */
  @Column({ type: 'text' })
  payload: string;

  /** The session of the grant; null without a grant. */
  @Column({ type: 'uuid', nullable: true })
  grantId: string | null;

  /** Hash of the second id: of a browser session, or the user code of a device code. */
  @Column({ type: 'text', nullable: true })
  uidHash: string | null;

  /** Every use of a client moves its expiry forward. */
  @Column({ type: 'timestamptz' })
  expiresAt: Date;

  /** When a code or refresh token was used. The row stays so that a second use is detected. */
  @Column({ type: 'timestamptz', nullable: true })
  consumedAt: Date | null;
}
