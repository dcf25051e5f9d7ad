import { ApiProperty } from '@nestjs/swagger';
import { WORKSPACE_ACTIONS, WORKSPACE_SUBJECTS, type WorkspaceKeyRule } from '../../kernel/workspace-rule.js';
import type { WorkspaceApiKey } from './workspace-api-key.entity.js';

class KeyRuleView {
  @ApiProperty({ enum: WORKSPACE_ACTIONS, isArray: true, example: ['read'] })
  action: WorkspaceKeyRule['action'];

  @ApiProperty({ enum: WORKSPACE_SUBJECTS, example: 'files' })
  subject: WorkspaceKeyRule['subject'];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description: 'Restricts it to the workspace: `id` for workspaces, `workspaceId` for the others.',
  })
  conditions: WorkspaceKeyRule['conditions'];
}

export class WorkspaceApiKeyView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ example: 'Website' }) name: string;
  @ApiProperty({ description: 'How the key begins.', example: 'wak_Yb3k' }) prefix: string;
  @ApiProperty({ type: [KeyRuleView] }) rules: readonly WorkspaceKeyRule[];
  @ApiProperty({ format: 'uuid', description: 'The workspace.' }) subjectId: string;
  @ApiProperty({ enum: ['workspaces'] }) subjectType: 'workspaces';
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: String, nullable: true, format: 'date-time', description: 'To the minute.' })
  lastUsedAt: string | null;

  static of(this: void, key: WorkspaceApiKey): WorkspaceApiKeyView {
    return {
      id: key.id,
      name: key.name,
      prefix: key.prefix,
      rules: key.rules,
      subjectId: key.workspaceId,
      subjectType: 'workspaces',
      createdAt: key.createdAt.toISOString(),
      lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    };
  }
}

export class MintedWorkspaceApiKeyView extends WorkspaceApiKeyView {
  @ApiProperty({
    description: 'The key. Shown this once.',
    example: 'wak_Yb3kq9Zs0Jd5T2m8vYh1cKx7RfL4sPq6uEo0aXg2iNt',
  })
  apiKey: string;
}

export class WorkspaceApiKeyListView {
  @ApiProperty({ type: [WorkspaceApiKeyView] }) results: WorkspaceApiKeyView[];
  @ApiProperty() total: number;
}
