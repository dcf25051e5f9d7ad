import { ChoiceField, JsonField, NestedField } from '../../http/field.decorators.js';
import type { JsonObject } from '../../kernel/json.js';
import {
  WORKSPACE_ACTIONS,
  WORKSPACE_SUBJECTS,
  type WorkspaceAction,
  type WorkspaceSubject,
} from '../../kernel/workspace-rule.js';
import { NameField } from '../../orgs/right.fields.js';
import { isAction } from '../rules/workspace-rule.js';

const MAX_KEY_RULES = 20;
const ACTION = { type: 'string', enum: [...WORKSPACE_ACTIONS] };

export class KeyRuleBody {
  @JsonField({
    description: 'What may be done; `manage` is everything. One, or a list.',
    example: 'read',
    schema: { oneOf: [ACTION, { type: 'array', items: ACTION }] },
    check: isAction,
    expects: `one or a list of: ${WORKSPACE_ACTIONS.join(', ')}`,
  })
  action: WorkspaceAction | WorkspaceAction[];

  @ChoiceField(WORKSPACE_SUBJECTS, { description: 'With what.', example: 'files' })
  subject: WorkspaceSubject;

  @JsonField({
    optional: true,
    description: 'A MongoDB query that narrows it further; the restriction to the workspace is always added.',
  })
  conditions?: JsonObject;
}

function KeyRulesField(optional: boolean) {
  return NestedField(() => KeyRuleBody, {
    list: true,
    min: 1,
    max: MAX_KEY_RULES,
    optional,
    description: 'All that the key may do.',
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
