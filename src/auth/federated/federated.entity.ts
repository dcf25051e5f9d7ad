import { Column, Entity, PrimaryColumn } from 'typeorm';

/** Who somebody of a provider is here: `sub` means a person only together with its issuer. Dies with its user. */
@Entity('federated_identities')
export class FederatedIdentity {
  @PrimaryColumn('text')
  providerId: string;

  @PrimaryColumn('text')
  issuer: string;

  @PrimaryColumn('text')
  subject: string;

  @Column('uuid')
  userId: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}

/** An id_token that was exchanged, so that it is not exchanged again. Dies, pruned, once it has expired anyway. */
@Entity('exchanged_tokens')
export class ExchangedToken {
  @PrimaryColumn('text')
  tokenHash: string;

  @Column('timestamptz')
  expiresAt: Date;
}
