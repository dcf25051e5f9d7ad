import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import type { JoinedVia } from '../../../base/kernel/principal.js';
import { NestedField, TextField, TextListField } from '../../../platform/http/field.decorators.js';
import { DoneView } from '../../../platform/http/list-page.js';
import { AddedInvitationView } from '../invites/invite.dto.js';
import { IdField, SlugField } from '../right.fields.js';

const GROUP_SLUG = /^[a-z0-9][a-z0-9_-]{0,63}$/;

function RoleField() {
  return SlugField({
    optional: true,
    description: 'Slug of the role. Absent: the default role of the organization.',
    example: 'member',
  });
}

function GroupsField() {
  return TextListField({
    optional: true,
    pattern: GROUP_SLUG,
    hint: 'slugs of groups',
    description: 'Slugs of all groups of the member. Requires the permission `orgs:groups:manage`.',
    example: [],
  });
}

class NewMemberBody {
  @IdField({
    optional: true,
    description: 'Id of a user who is in one of your organizations. Send either this or `email`.',
  })
  userId?: string;

  @TextField({
    optional: true,
    max: 320,
    description: 'E-mail address of the user. Send either this or `userId`.',
    example: 'ada@example.com',
  })
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
    description: 'People to invite. Either all are invited or none.',
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
  @ApiProperty({
    description:
      'False for an address that the person has not proven. It selects them only if this organization knows them by it: from the invitation they accepted, or from its own identity provider. Otherwise use the id.',
  })
  emailVerified: boolean;
  @ApiProperty({ type: String, nullable: true, example: 'Ada' }) firstName: string | null;
  @ApiProperty({ type: String, nullable: true, example: 'Lovelace' }) lastName: string | null;
  @ApiProperty({ enum: ['active', 'disabled'] }) status: string;
  @ApiProperty({ example: 'member' }) roleSlug: string;
  @ApiPropertyOptional({
    enum: ['anonymous', 'signUp'],
    description:
      'How the person joined: by anonymous login, or by the sign-up of an application. Absent for other members, and after somebody gave the person another role.',
  })
  via?: JoinedVia;
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
    type: [AddedInvitationView],
    description: 'One invitation for each person. People become members when they accept.',
  })
  invitations: AddedInvitationView[];
}

export class RemovedMemberView extends DoneView {
  @ApiProperty({
    type: 'integer',
    example: 0,
    description:
      'Number of webhooks that this person created and that stay, because they belong to their collections: they still ' +
      'post changes to the URLs that the person chose.',
  })
  webhooks: number;
}
