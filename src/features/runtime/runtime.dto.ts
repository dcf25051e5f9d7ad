import { ApiProperty } from '@nestjs/swagger';
import { ChoiceField, JsonField, TextField } from '../../platform/http/field.decorators.js';

const CALL_METHODS = ['GET', 'POST', 'PATCH', 'DELETE'] as const;
export type CallMethod = (typeof CALL_METHODS)[number];

export class CallWorkspaceBody {
  @TextField({
    max: 100,
    description: 'Workspace to call: its id, or `slug:` followed by its slug.',
    example: 'slug:billing',
  })
  target: string;

  @ChoiceField(CALL_METHODS, { description: 'HTTP method of the operation.', example: 'GET' })
  method: CallMethod;

  @TextField({
    max: 200,
    // Has no slash in brackets, because some generators write patterns between slashes.
    pattern: /^(?:\/[A-Za-z0-9_:-]*)+$/,
    hint: 'a path that begins with /',
    description: 'Path of the operation relative to the target; `/` is the target itself.',
    example: '/security/roles',
  })
  path: string;

  @JsonField({
    optional: true,
    description: 'JSON body of the operation.',
    schema: { type: 'object', additionalProperties: true },
    check: () => true,
    expects: 'the body of the operation',
  })
  body?: unknown;
}

/** `{product: {resource: {action: true}}}` (spec 5.5). */
export type NestedPermissions = Record<string, Record<string, Record<string, true>>>;

const ANYTHING = { type: 'object', additionalProperties: true } as const;

class ContextRoleView {
  @ApiProperty({ type: String, nullable: true, example: 'member' }) slug: string | null;
  @ApiProperty({ type: [String], example: ['collections:read'] }) permissions: readonly string[];
  @ApiProperty({ type: [String] }) scopes: readonly string[];
}

class ContextOrgView {
  @ApiProperty({ example: 'default' }) slug: string;
  @ApiProperty({ example: 'Acme' }) name: string;
  @ApiProperty({ type: ContextRoleView }) role: ContextRoleView;
  @ApiProperty({ type: [String] }) groups: readonly string[];
  @ApiProperty(ANYTHING) settings: Record<string, unknown>;
  @ApiProperty(ANYTHING) subscription: Record<string, unknown>;
}

class ContextSessionView {
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) id: string | null;
  @ApiProperty({ type: ContextOrgView, nullable: true, description: 'The active organization; null: none.' })
  org: ContextOrgView | null;
}

class ContextUserView {
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) id: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' }) email: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    example: 'editor',
    description: 'Role of the user in the workspace.',
  })
  role: string | null;
  @ApiProperty({ type: [String], example: ['default'] }) orgSlugs: readonly string[];
}

class ContextRunView {
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    example: { collections: { '*': { read: true } } },
    description:
      'Permissions as `{product: {resource: {action: true}}}`. `*` stands for a part that the permission leaves out.',
  })
  permissions: NestedPermissions;
  @ApiProperty({ type: [String] }) scopes: readonly string[];
  @ApiProperty({ example: '0192f0c1-2f7a-7c5e-9a1b-3d4e5f607182' }) correlationId: string;
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'Id of the calling workspace; set only in calls between workspaces.',
  })
  sourceWorkspaceId: string | null;
}

/** The variables of automations (spec 5.5). A variable that does not apply to the caller is null. */
export class ContextView {
  @ApiProperty({ type: ContextSessionView }) session: ContextSessionView;
  @ApiProperty({ type: ContextUserView }) user: ContextUserView;
  @ApiProperty({ type: ContextRunView }) run: ContextRunView;
}
