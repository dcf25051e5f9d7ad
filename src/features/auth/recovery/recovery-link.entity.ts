import { Column, Entity, PrimaryColumn } from 'typeorm';
import { Granted } from '../../orgs/grantor.js';

/** A one-time sign-in link for a member. Deleted by its use, by the next link, or by a job after it has expired. */
@Entity('recovery_links')
export class RecoveryLink extends Granted {
  @PrimaryColumn('text')
  secretHash: string;

  /** A person has at most one link. */
  @Column('uuid', { unique: true })
  userId: string;

  /** The person who made it, also for an agent. Null for a key or a service account that acts for itself. */
  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Column('timestamptz')
  expiresAt: Date;
}
