import { ApiProperty } from '@nestjs/swagger';
import { NestedField, TextField } from '../../http/field.decorators.js';
import { IdField } from '../../orgs/right.fields.js';
import { ROLE_NAME } from '../rules/workspace-rule.js';

export class CollaboratorTargetBody {
  @IdField({ optional: true, description: 'Id of the user. Send either this or `email`.' })
  id?: string;

  @TextField({
    optional: true,
    max: 320,
    description: 'E-mail address of the user. Send either this or `id`.',
    example: 'ada@example.com',
  })
  email?: string;
}

export class GrantWorkspaceRoleBody {
  @NestedField(() => CollaboratorTargetBody, {
    description: 'A member of the organization.',
    example: { email: 'owner@localhost' },
  })
  target: CollaboratorTargetBody;

  @TextField({
    max: 64,
    pattern: ROLE_NAME,
    hint: 'the form of a role name',
    description: '`owner`, `editor`, or a role of the workspace.',
    example: 'editor',
  })
  role: string;
}

class TargetView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' }) email: string | null;
}

export class CollaboratorView {
  @ApiProperty({ type: TargetView }) target: TargetView;
  @ApiProperty({ example: 'editor' }) role: string;
  @ApiProperty({ format: 'date-time' }) createdAt: Date;
}

export class CollaboratorListView {
  @ApiProperty({ type: [CollaboratorView] }) results: CollaboratorView[];
  @ApiProperty() total: number;
}
