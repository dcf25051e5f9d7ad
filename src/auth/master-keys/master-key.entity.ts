import { Column, CreateDateColumn, Entity, PrimaryColumn } from 'typeorm';

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
