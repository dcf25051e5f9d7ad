import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { WorkspaceKeyRule } from '../../base/kernel/permission.js';
import type { WorkspaceRule } from './rules/workspace-rule.js';

/** A workspace of an organization, with its own roles and rules. Deleted by a request or with its organization. */
@Entity('workspaces')
export class Workspace {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  orgId: string;

  /** Unique in the organization. */
  @Column('text')
  slug: string;

  @Column('text')
  name: string;

  @Column('text', { nullable: true })
  description: string | null;

  /** The workspace's own roles. The built-in roles `owner` and `editor` are not stored. */
  @Column('jsonb', { default: {} })
  roles: WorkspaceRoles;

  @Column('jsonb', { default: [] })
  rules: readonly WorkspaceRule[];

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  @Column('timestamptz', { default: () => 'now()' })
  updatedAt: Date;
}

export type WorkspaceRoles = Readonly<Record<string, { readonly description?: string }>>;

/** A member's role in a workspace. Deleted by a request, with the membership or with the workspace. */
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

/** A key that acts on one workspace, stored as a hash. Deleted by a request or with the workspace. */
@Entity('workspace_api_keys')
export class WorkspaceApiKey {
  @PrimaryColumn('uuid')
  id: string;

  @Column('uuid')
  workspaceId: string;

  @Column('text')
  name: string;

  @Column('jsonb')
  rules: readonly WorkspaceKeyRule[];

  @Column('text', { unique: true })
  secretHash: string;

  /** The first characters of the key, by which people recognise it. */
  @Column('text')
  prefix: string;

  /** The user who minted it. */
  @Column('uuid', { nullable: true })
  createdBy: string | null;

  @Column('timestamptz', { default: () => 'now()' })
  createdAt: Date;

  /** To the minute. */
  @Column('timestamptz', { nullable: true })
  lastUsedAt: Date | null;
}
