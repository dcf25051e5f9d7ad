import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A long-lived token for scripts. Only its hash is stored. Deleted when revoked, or pruned after it has expired. */
@Entity('access_tokens')
export class AccessToken {
  @PrimaryColumn({ type: 'uuid' })
  id: string;

  @Column({ type: 'uuid' })
  userId: string;

  @Column({ type: 'text' })
  name: string;

  @Column({ type: 'text' })
  secretHash: string;

  /** The beginning of the token, by which its owner recognises it. */
  @Column({ type: 'text' })
  prefix: string;

  @Column({ type: 'text', nullable: true })
  activeOrgSlug: string | null;

  @Column({ type: 'timestamptz' })
  createdAt: Date;

  /** Written at most once a minute. */
  @Column({ type: 'timestamptz', nullable: true })
  lastUsedAt: Date | null;

  @Column({ type: 'timestamptz' })
  expiresAt: Date;
}
