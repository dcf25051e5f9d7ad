import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An id_token that was exchanged, so that it is not exchanged again. Dies, pruned, once it has expired anyway. */
@Entity('exchanged_tokens')
export class ExchangedToken {
  @PrimaryColumn('text')
  tokenHash: string;

  @Column('timestamptz')
  expiresAt: Date;
}
