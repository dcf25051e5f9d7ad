import { Column, Entity, PrimaryColumn } from 'typeorm';

/** A member of the organization who works in a workspace. Dies by hand, with the membership, or with the workspace. */
@Entity('workspace_collaborators')
export class WorkspaceCollaborator {
  @PrimaryColumn('uuid')
  workspaceId: string;

  @PrimaryColumn('uuid')
  userId: string;

  @Column('uuid')
  orgId: string;

  /** `owner`, `editor`, or a role of the workspace. */
  @Column('text')
  role: string;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;
}
