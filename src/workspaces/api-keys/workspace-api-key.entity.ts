import { Column, Entity, PrimaryColumn } from 'typeorm';
import type { WorkspaceKeyRule } from '../../kernel/workspace-rule.js';

/** A key that acts on one workspace, stored hashed. Dies by hand or with the workspace. */
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

  /** The beginning of the key, to recognise it by. */
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
