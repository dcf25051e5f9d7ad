// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the placeholders of rules look like this

import { ApiProperty } from '@nestjs/swagger';
import {
  ChoiceField,
  FlagField,
  IntegerField,
  JsonField,
  NestedField,
  ObjectField,
  TextField,
  TextListField,
} from '../../http/field.decorators.js';
import { isJsonObject } from '../../kernel/json.js';
import {
  WORKSPACE_ACTIONS,
  WORKSPACE_SUBJECTS,
  type WorkspaceAction,
  type WorkspaceSubject,
} from '../../kernel/permission.js';
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
    description: 'What may be done; `manage` is everything. One, or a list.',
    example: 'read',
    schema: oneOrMore(WORKSPACE_ACTIONS),
    check: isAction,
    expects: `one or a list of: ${WORKSPACE_ACTIONS.join(', ')}`,
  })
  action: WorkspaceRule['action'];

  @JsonField({
    description: 'With what; `all` is everything in the workspace. One, or a list.',
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
    description: 'For whom; absent: for everyone who sees the workspace.',
    example: 'viewer',
  })
  role?: string;

  @JsonField({
    optional: true,
    description:
      'A MongoDB query that the resource must match. May hold `${user.id}`, `${session.id}` and `${run.sourceWorkspaceId}`.',
    example: { authorId: '${user.id}' },
  })
  conditions?: WorkspaceRule['conditions'];

  @FlagField({ optional: true, description: 'True: it forbids.', example: false })
  inverted?: boolean;

  @TextListField({
    optional: true,
    min: 1,
    max: 50,
    pattern: FIELD_PATTERN,
    hint: 'a field like name, address.city or address.*',
    description: 'The fields it is about; absent: all.',
    example: ['name'],
  })
  fields?: string[];

  @IntegerField({
    optional: true,
    min: -MAX_PRIORITY,
    max: MAX_PRIORITY,
    default: 0,
    description: 'The rule of the higher priority wins, then the later one.',
    example: 0,
  })
  priority?: number;

  @TextField({
    optional: true,
    max: MAX_REASON,
    description: 'Why, for whoever asks.',
    example: 'Own pages.',
  })
  reason?: string;
}

class AuthorizationsBody {
  @JsonField({
    optional: true,
    description: 'The roles of the workspace by name; `owner` and `editor` are there anyhow.',
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
    description: 'Who may do what.',
    example: [{ action: 'read', subject: 'pages', role: 'viewer' }],
  })
  rules?: RuleBody[];
}

export class ReplaceSecurityBody {
  @NestedField(() => AuthorizationsBody, {
    description: 'All roles and rules of the workspace; what is not among them is gone.',
    example: {
      roles: { viewer: { description: 'Looks around.' } },
      rules: [{ action: 'read', subject: 'pages', role: 'viewer' }],
    },
  })
  authorizations: AuthorizationsBody;
}

export class CheckBody {
  @ChoiceField(WORKSPACE_ACTIONS, { description: 'What you want to do.', example: 'read' })
  action: WorkspaceAction;

  @ChoiceField(WORKSPACE_SUBJECTS, { description: 'With what.', example: 'pages' })
  subject: WorkspaceSubject;

  @ObjectField({
    optional: true,
    description: 'The resource, as rules see it; absent: some resource of the kind.',
    example: { authorId: '0192f0c1-2f7a-7c5e-9a1b-3d4e5f607182' },
  })
  resource?: Record<string, never>;
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
