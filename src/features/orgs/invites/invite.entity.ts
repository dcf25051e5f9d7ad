import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Granted } from '../grantor.js';

/**
 * An invitation to join an organization. Deleted by a request, with the organization or the
 * inviter, or by a job after it has ended.
 */
@Entity('org_invites')
export class OrgInvite extends Granted {
  @PrimaryColumn('uuid')
  id: string;

  /** Null for an invitation without a code, which only the invited person can accept. */
  @Column('text', { nullable: true, unique: true })
  codeHash: string | null;

  /** The e-mail address that it is for; null: for anybody with the code, or for the user. */
  @Column('text', { nullable: true })
  email: string | null;

  /** The user that it is for; null: for an e-mail address, or for anybody with the code. */
  @Column('uuid', { nullable: true })
  userId: string | null;

  @Column('text')
  roleSlug: string;

  @Column('text', { array: true, default: [] })
  groups: string[];

  @Column('integer')
  maxUses: number;

  @Column('integer', { default: 0 })
  uses: number;

  @Column('timestamptz', { nullable: true })
  expiresAt: Date | null;

  /** The user who invites, also for an agent. Null for a key or a service account that acts for itself. */
  @Column('uuid', { nullable: true })
  invitedBy: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
