import { NestedField, TextField, TextListField } from '../../http/field.decorators.js';
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

export class NewMemberBody {
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
