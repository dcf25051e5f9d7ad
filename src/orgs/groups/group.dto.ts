import { ApiProperty } from '@nestjs/swagger';
import { NestedField, TextField } from '../../http/field.decorators.js';
import { IdField, NameField, SlugField } from '../right.fields.js';

export class CreateGroupBody {
  @SlugField({
    description: 'Unique in the organization. Access bindings use `orgSlug:groupSlug`.',
    example: 'editors',
  })
  slug: string;

  @NameField({ example: 'Editors' })
  name: string;
}

export class UpdateGroupBody {
  @NameField({ optional: true, example: 'Chief editors' })
  name?: string;
}

class GroupMemberBody {
  @IdField({ optional: true, description: 'Id of the user. Send either this or `email`.' })
  userId?: string;

  @TextField({
    optional: true,
    max: 320,
    description: 'E-mail address of the user. Send either this or `id`.',
    example: 'owner@localhost',
  })
  email?: string;
}

export class AddGroupMembersBody {
  @NestedField(() => GroupMemberBody, {
    list: true,
    min: 1,
    description: 'Members of the organization to add. Either all are added or none.',
    example: [{ email: 'owner@localhost' }],
  })
  users: GroupMemberBody[];
}

export class GroupView {
  @ApiProperty({ example: 'editors' }) slug: string;
  @ApiProperty({ example: 'Editors' }) name: string;
  @ApiProperty({ type: 'integer', description: 'Number of members.' }) memberCount: number;
  @ApiProperty({ format: 'date-time' }) createdAt: Date;
}

export class GroupListView {
  @ApiProperty({ type: [GroupView] }) results: GroupView[];
  @ApiProperty() total: number;
}

export class GroupMemberView {
  @ApiProperty({ format: 'uuid' }) userId: string;
  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' }) email: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Ada' }) firstName: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Lovelace' }) lastName: string | null;
}

export class GroupMemberListView {
  @ApiProperty({ type: [GroupMemberView] }) results: GroupMemberView[];
  @ApiProperty() total: number;
}
