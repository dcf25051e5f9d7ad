import { ApiProperty } from '@nestjs/swagger';
import { NestedField, TextField, TextListField } from '../../http/field.decorators.js';
import { InviteView } from '../invites/invite.dto.js';
import { IdField, SlugField } from '../right.fields.js';

const GROUP_SLUG = /^[a-z0-9][a-z0-9_-]{0,63}$/;

function RoleField() {
  return SlugField({
    optional: true,
    description: "Role; absent: the organization's default role.",
    example: 'member',
  });
}

function GroupsField() {
  return TextListField({
    optional: true,
    pattern: GROUP_SLUG,
    hint: 'the form of a group slug',
    description: 'All groups of the member; needs `orgs:groups:manage`.',
    example: [],
  });
}

class NewMemberBody {
  @IdField({
    optional: true,
    description: 'A user who shares an organization with you; send this or `email`.',
  })
  userId?: string;

  @TextField({ optional: true, max: 320, description: 'Their e-mail address.', example: 'ada@example.com' })
  email?: string;

  @RoleField()
  roleSlug?: string;

  @GroupsField()
  groups?: string[];
}

export class AddMembersBody {
  @NestedField(() => NewMemberBody, {
    list: true,
    min: 1,
    description: 'Who is invited; all or none of them.',
    example: [{ email: 'ada@example.com', roleSlug: 'member' }],
  })
  users: NewMemberBody[];
}

export class UpdateMemberBody {
  @RoleField()
  roleSlug?: string;

  @GroupsField()
  groups?: string[];
}

export class MemberView {
  @ApiProperty({ format: 'uuid' }) userId: string;
  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' }) email: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Ada' }) firstName: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Lovelace' }) lastName: string | null;
  @ApiProperty({ enum: ['active', 'disabled'] }) status: string;
  @ApiProperty({ example: 'member' }) roleSlug: string;
  @ApiProperty({ type: [String] }) groups: string[];
  @ApiProperty({ format: 'date-time' }) joinedAt: Date;
}

export class MemberListView {
  @ApiProperty({ type: [MemberView] }) results: MemberView[];
  @ApiProperty() total: number;
}

/** `results` is always empty, so that the response does not show who has an account. */
export class AddedMembersView extends MemberListView {
  @ApiProperty({
    type: [InviteView],
    description: 'One for each person; nobody is a member before they accept.',
  })
  invitations: InviteView[];
}
