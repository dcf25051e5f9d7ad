import { Column, Entity, PrimaryColumn } from 'typeorm';

/**
 * One thing the authorization server remembers: a code, refresh token, grant, interaction, browser session or client.
 * Dies with its grant's session, or pruned after it expired.
 */
@Entity('oidc_payloads')
export class OidcPayload {
  /** Of kind and id together: ids of codes, tokens and cookies are secrets. */
  @PrimaryColumn({ type: 'text' })
  idHash: string;

  /** Name of oidc-provider's model. */
  @Column({ type: 'text' })
  kind: string;

  /** Sealed with the master key; `idHash` is the associated data. */
  @Column({ type: 'text' })
  payload: string;

  /** The session that a grant is; null for what belongs to no grant. */
  @Column({ type: 'uuid', nullable: true })
  grantId: string | null;

  /** Second name of a browser session. */
  @Column({ type: 'text', nullable: true })
  uidHash: string | null;

  /** Of a client: when it counts as forgotten, moved on by every use. */
  @Column({ type: 'timestamptz' })
  expiresAt: Date;

  /** When a code or refresh token was used; it stays to show a second use. */
  @Column({ type: 'timestamptz', nullable: true })
  consumedAt: Date | null;
}
