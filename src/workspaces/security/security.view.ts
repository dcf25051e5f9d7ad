import { ApiProperty } from '@nestjs/swagger';
import { BUILT_IN_ROLES, isBuiltInRole } from '../rules/built-in-roles.js';
import type { WorkspaceRule } from '../rules/workspace-rule.js';
import type { Workspace, WorkspaceRoles } from '../workspace.entity.js';
import { RuleBody } from './security.dto.js';

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

  /** The built-in roles first. */
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
