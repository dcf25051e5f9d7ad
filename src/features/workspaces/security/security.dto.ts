// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of rules look like this

import { ApiProperty } from '@nestjs/swagger';
import { isJsonObject } from '../../../base/kernel/json.js';
import {
  WORKSPACE_ACTIONS,
  WORKSPACE_SUBJECTS,
  type WorkspaceAction,
  type WorkspaceSubject,
} from '../../../base/kernel/permission.js';
import {
  ChoiceField,
  FlagField,
  IntegerField,
  JsonField,
  NestedField,
  ObjectField,
  TextField,
  TextListField,
} from '../../../platform/http/field.decorators.js';
import { IdField } from '../../orgs/right.fields.js';
import {
  BUILT_IN_ROLES,
  FIELD_PATTERN,
  isAction,
  isBuiltInRole,
  isRuleSubject,
  MAX_ROLES,
  MAX_RULES,
  ROLE_NAME,
  RULE_SUBJECTS,
  type WorkspaceRule,
} from '../rules/workspace-rule.js';
import type { Workspace, WorkspaceRoles } from '../workspace.entity.js';

const MAX_REASON = 300;
const MAX_PRIORITY = 1000;

/** The JSON schema of one of the choices, or a list of them. */
export function oneOrMore(choices: readonly string[]) {
  const one = { type: 'string', enum: [...choices] };
  return { oneOf: [one, { type: 'array', items: one }] };
}

export class RuleBody {
  @JsonField({
    description: 'Action, or list of actions, that the rule is about. `manage` means all actions.',
    example: 'read',
    schema: oneOrMore(WORKSPACE_ACTIONS),
    check: isAction,
    expects: `one or a list of: ${WORKSPACE_ACTIONS.join(', ')}`,
  })
  action: WorkspaceRule['action'];

  @JsonField({
    description:
      'Kind of resource, or list of kinds, that the rule is about. `all` means everything in the workspace.',
    example: 'pages',
    schema: oneOrMore(RULE_SUBJECTS),
    check: isRuleSubject,
    expects: `one or a list of: ${RULE_SUBJECTS.join(', ')}`,
  })
  subject: WorkspaceRule['subject'];

  @TextField({
    optional: true,
    max: 64,
    pattern: ROLE_NAME,
    hint: 'the form of a role name',
    description: 'Role that the rule applies to. Absent: everyone who can see the workspace.',
    example: 'viewer',
  })
  role?: string;

  @JsonField({
    optional: true,
    description:
      'MongoDB query that the resource must match. It can contain `${user.id}`, `${session.id}` and `${run.sourceWorkspaceId}`.',
    example: { authorId: '${user.id}' },
  })
  conditions?: WorkspaceRule['conditions'];

  @FlagField({ optional: true, description: 'true: the rule forbids instead of allowing.', example: false })
  inverted?: boolean;

  @TextListField({
    optional: true,
    min: 1,
    max: 50,
    pattern: FIELD_PATTERN,
    hint: 'fields like name, address.city or address.*',
    description: 'Fields that the rule is about. Absent: all fields.',
    example: ['name'],
  })
  fields?: string[];

  @IntegerField({
    optional: true,
    min: -MAX_PRIORITY,
    max: MAX_PRIORITY,
    default: 0,
    description: 'The rule with the higher priority wins; with equal priority, the later rule.',
    example: 0,
  })
  priority?: number;

  @TextField({
    optional: true,
    max: MAX_REASON,
    description: 'Reason, shown in the result of a check.',
    example: 'Own pages.',
  })
  reason?: string;
}

class AuthorizationsBody {
  @JsonField({
    optional: true,
    description: 'Roles of the workspace by name. The built-in roles `owner` and `editor` always exist.',
    example: { viewer: { description: 'Looks around.' } },
    schema: {
      type: 'object',
      additionalProperties: { type: 'object', properties: { description: { type: 'string' } } },
    },
    check: isRoles,
    expects: `an object of at most ${MAX_ROLES} roles, {name: {description?}}`,
  })
  roles?: WorkspaceRoles;

  @NestedField(() => RuleBody, {
    list: true,
    optional: true,
    max: MAX_RULES,
    description: 'Rules that allow or forbid actions.',
    example: [{ action: 'read', subject: 'pages', role: 'viewer' }],
  })
  rules?: RuleBody[];
}

export class ReplaceSecurityBody {
  @NestedField(() => AuthorizationsBody, {
    description: 'The complete roles and rules of the workspace. Others are removed.',
    example: {
      roles: { viewer: { description: 'Looks around.' } },
      rules: [{ action: 'read', subject: 'pages', role: 'viewer' }],
    },
  })
  authorizations: AuthorizationsBody;
}

export class CheckBody {
  @ChoiceField(WORKSPACE_ACTIONS, { description: 'Action to check.', example: 'read' })
  action: WorkspaceAction;

  @ChoiceField(WORKSPACE_SUBJECTS, { description: 'Kind of resource to check.', example: 'pages' })
  subject: WorkspaceSubject;

  @ObjectField({
    optional: true,
    description:
      'Fields of the resource that the conditions of rules are applied to. Absent: checks whether the action is allowed for at least one resource of this kind.',
    example: { authorId: '0192f0c1-2f7a-7c5e-9a1b-3d4e5f607182' },
  })
  resource?: Record<string, never>;

  @IdField({
    optional: true,
    description:
      'Id of the person whose rights to check. Only people who administer the workspace may send it. Absent: your own rights.',
    example: '0192f0c1-2f7a-7c5e-9a1b-3d4e5f607182',
  })
  userId?: string;
}

function isRoles(value: unknown): boolean {
  return (
    isJsonObject(value) &&
    Object.keys(value).length <= MAX_ROLES &&
    Object.entries(value).every(([name, role]) => ROLE_NAME.test(name) && isRole(role))
  );
}

function isRole(value: unknown): boolean {
  if (!isJsonObject(value) || Object.keys(value).some(name => name !== 'description')) return false;
  const { description = '' } = value;
  return (
    typeof description === 'string' &&
    description.length <= 500 &&
    description.isWellFormed() &&
    !description.includes('\0')
  );
}

class AuthorizationsView {
  @ApiProperty({
    type: 'object',
    additionalProperties: { type: 'object', properties: { description: { type: 'string' } } },
    description: 'The built-in roles and those of the workspace.',
  })
  roles: WorkspaceRoles;

  @ApiProperty({ type: [RuleBody] })
  rules: readonly WorkspaceRule[];
}

export class SecurityView {
  @ApiProperty({ type: AuthorizationsView })
  authorizations: AuthorizationsView;

  static of(this: void, { roles, rules }: Pick<Workspace, 'roles' | 'rules'>): SecurityView {
    const named = Object.fromEntries(
      WorkspaceRoleView.all(roles).map(({ name, description }) => [name, { description }]),
    );
    return { authorizations: { roles: named, rules } };
  }
}

export class WorkspaceRoleView {
  @ApiProperty({ example: 'editor' }) name: string;
  @ApiProperty({ required: false, example: 'Works on everything in the workspace.' }) description?: string;
  @ApiProperty() builtIn: boolean;

  /** The built-in roles come first. */
  static all(this: void, roles: WorkspaceRoles): WorkspaceRoleView[] {
    return Object.entries({ ...BUILT_IN_ROLES, ...roles }).map(([name, { description }]) => ({
      name,
      description,
      builtIn: isBuiltInRole(name),
    }));
  }
}

export class WorkspaceRoleListView {
  @ApiProperty({ type: [WorkspaceRoleView] }) results: WorkspaceRoleView[];
  @ApiProperty() total: number;
}

export class VerdictView {
  @ApiProperty({ example: true }) allowed: boolean;
  @ApiProperty({ example: 'The role owner allows it.' }) reason: string;
}
