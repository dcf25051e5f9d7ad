import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An identity at a provider and its account. `sub` identifies a person only together with its issuer. Deleted with the user. */
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

/** An id_token that was exchanged and must not be exchanged again. Pruned after it has expired. */
@Entity('exchanged_tokens')
export class ExchangedToken {
  @PrimaryColumn('text')
  tokenHash: string;

  @Column('timestamptz')
  expiresAt: Date;
}
