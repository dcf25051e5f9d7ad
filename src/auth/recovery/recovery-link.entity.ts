import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A one-time sign-in link for a member. Deleted by its use, by the next link, or by a job after it has expired. */
@Entity('recovery_links')
export class RecoveryLink {
  @PrimaryColumn('text')
  secretHash: string;

  /** A person has at most one link. */
  @Column('uuid', { unique: true })
  userId: string;

  @Column('uuid')
  orgId: string;

  /** The person who made it; their current rights limit it. Null for a key or a service account. */
  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Column('timestamptz')
  expiresAt: Date;
}
