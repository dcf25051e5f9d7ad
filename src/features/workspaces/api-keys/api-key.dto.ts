import { ApiProperty } from '@nestjs/swagger';
import type { JsonObject } from '../../../base/kernel/json.js';
import {
  WORKSPACE_ACTIONS,
  WORKSPACE_SUBJECTS,
  type WorkspaceAction,
  type WorkspaceKeyRule,
  type WorkspaceSubject,
} from '../../../base/kernel/permission.js';
import { ChoiceField, JsonField, NestedField } from '../../../platform/http/field.decorators.js';
import { NameField } from '../../orgs/right.fields.js';
import { isAction } from '../rules/workspace-rule.js';
import { oneOrMore } from '../security/security.dto.js';
import type { WorkspaceApiKey } from '../workspace.entity.js';

const MAX_KEY_RULES = 20;

export class KeyRuleBody {
  @JsonField({
    description: 'Action, or list of actions, that the rule is about. `manage` means all actions.',
    example: 'read',
    schema: oneOrMore(WORKSPACE_ACTIONS),
    check: isAction,
    expects: `one or a list of: ${WORKSPACE_ACTIONS.join(', ')}`,
  })
  action: WorkspaceAction | WorkspaceAction[];

  @ChoiceField(WORKSPACE_SUBJECTS, { description: 'Kind of resource to check.', example: 'files' })
  subject: WorkspaceSubject;

  @JsonField({
    optional: true,
    description:
      'MongoDB query that limits the rule further. The service always adds the restriction to the workspace.',
  })
  conditions?: JsonObject;
}

function KeyRulesField(optional: boolean) {
  return NestedField(() => KeyRuleBody, {
    list: true,
    min: 1,
    max: MAX_KEY_RULES,
    optional,
    description: 'All actions that the key allows.',
    example: [{ action: 'read', subject: 'files' }],
  });
}

export class MintWorkspaceApiKeyBody {
  @NameField({ example: 'Website' })
  name: string;

  @KeyRulesField(false)
  rules: KeyRuleBody[];
}

export class UpdateWorkspaceApiKeyBody {
  @NameField({ optional: true, example: 'Website' })
  name?: string;

  @KeyRulesField(true)
  rules?: KeyRuleBody[];
}

class KeyRuleView {
  @ApiProperty({ enum: WORKSPACE_ACTIONS, isArray: true, example: ['read'] })
  action: WorkspaceKeyRule['action'];

  @ApiProperty({ enum: WORKSPACE_SUBJECTS, example: 'files' })
  subject: WorkspaceKeyRule['subject'];

  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    description:
      'Conditions that limit the rule to the workspace: `id` for workspaces, `workspaceId` for other subjects.',
  })
  conditions: WorkspaceKeyRule['conditions'];
}

export class WorkspaceApiKeyView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ example: 'Website' }) name: string;
  @ApiProperty({ description: 'First characters of the key, to recognize it.', example: 'wak_Yb3k' })
  prefix: string;
  @ApiProperty({ type: [KeyRuleView] }) rules: readonly WorkspaceKeyRule[];
  @ApiProperty({ format: 'uuid', description: 'Id of the workspace.' }) subjectId: string;
  @ApiProperty({ enum: ['workspaces'] }) subjectType: 'workspaces';
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    description: 'When it was last used, to the minute; null: never.',
  })
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
    description: 'The key itself. Shown only in this response.',
    example: 'wak_Yb3kq9Zs0Jd5T2m8vYh1cKx7RfL4sPq6uEo0aXg2iNt',
  })
  apiKey: string;
}

export class WorkspaceApiKeyListView {
  @ApiProperty({ type: [WorkspaceApiKeyView] }) results: WorkspaceApiKeyView[];
  @ApiProperty() total: number;
}
