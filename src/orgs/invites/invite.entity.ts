import { Column, Entity, PrimaryColumn } from 'typeorm';

/** An invitation into an organization, by code, for an e-mail address or for a user. Dies by hand or with who made it. */
@Entity('org_invites')
export class OrgInvite {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  orgId: string;

  /** Null when only the invited person can accept it. */
  @Column('text', { nullable: true, unique: true })
  codeHash: string | null;

  /** The one person it is for; null: for whoever has the code. */
  @Column('text', { nullable: true })
  email: string | null;

  /** The one user it is for, who was named by id; null: for an e-mail address or whoever has the code. */
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

  /** The user who invites, whose rights bound it to the end; null for a key, an agent or a service account. */
  @Column('uuid', { nullable: true })
  invitedBy: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
