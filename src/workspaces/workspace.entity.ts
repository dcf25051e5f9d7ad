import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { WorkspaceRule } from './rules/workspace-rule.js';

/** A workspace of an organization, with its own roles and rules. Dies by hand or with its organization. */
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

  /** The roles made for it; `owner` and `editor` are built in. */
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
