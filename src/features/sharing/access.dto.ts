import { ApiProperty } from '@nestjs/swagger';
import { COLLECTION_RIGHTS, COLLECTION_ROLES } from '../../base/kernel/permission.js';
import { ChoiceField, TextField } from '../../platform/http/field.decorators.js';
import {
  BOUND_TYPES,
  type BoundType,
  GRANTABLE_ROLES,
  type GrantableRole,
} from '../collections/collection-binding.entity.js';
import { GrantPartsBody, GrantPartsView } from '../collections/grant-parts.fields.js';

function RoleField(options: { optional?: true } = {}) {
  return ChoiceField(GRANTABLE_ROLES, {
    ...options,
    description:
      'Role of the principal in the collection. `admin` cannot have `rules`, `fields` and `limits`.',
    example: 'reader',
  });
}

export class GrantAccessBody extends GrantPartsBody {
  @ChoiceField(BOUND_TYPES, {
    description:
      'Kind of principal. `org` means all members and agents of the organization, without anonymous members and app users: they are `anonymous` and `signup`, which need `rules` and the role `reader` or `editor`.',
    example: 'group',
  })
  principal_type: BoundType;

  @TextField({
    max: 200,
    description:
      'Id of a user or agent, `orgSlug:groupSlug` of a group, or slug of the organization. It must belong to the organization of the collection.',
    example: 'default:editors',
  })
  principal_id: string;

  @RoleField()
  role: GrantableRole;
}

export class UpdateAccessBody extends GrantPartsBody {
  @RoleField({ optional: true })
  role?: GrantableRole;
}

export class ExplainAccessQuery {
  @ChoiceField([...BOUND_TYPES, 'key'], {
    optional: true,
    description:
      'Kind of principal whose access is explained: with `action` a user, agent, key or `anonymous`, otherwise any but a key. Required without `action`.',
    example: 'user',
  })
  principal_type?: BoundType | 'key';

  @TextField({
    optional: true,
    max: 200,
    description:
      'Id of the user, agent or key, `orgSlug:groupSlug` of the group, or slug of the organization. Required without `action`.',
    example: '0197a5c0-0000-7000-8000-000000000000',
  })
  principal_id?: string;

  @ChoiceField(['read', 'update', 'delete'], {
    optional: true,
    description: 'Explains whether the principal may do this with the record `record_id`.',
  })
  action?: 'read' | 'update' | 'delete';

  @TextField({ optional: true, max: 100, description: 'Id of the record; required with `action`.' })
  record_id?: string;
}

/** One principal and its role on a collection (collections contract, Objects). */
export class AccessBindingView extends GrantPartsView {
  @ApiProperty({ enum: ['collection.access'] }) object: 'collection.access';
  @ApiProperty({ format: 'uuid' }) collection_id: string;
  @ApiProperty({
    enum: BOUND_TYPES,
    description:
      'Kind of principal. `anonymous`: members who signed in anonymously. `signup`: people who signed up for an application.',
  })
  principal_type: string;
  @ApiProperty({
    description: 'Id of the user or agent, `orgSlug:groupSlug` of the group, or slug of the organization.',
    example: 'default:editors',
  })
  principal_id: string;
  @ApiProperty({ enum: COLLECTION_ROLES }) role: string;
  @ApiProperty({
    required: false,
    description: 'E-mail address of a user who has one.',
    example: 'ada@example.com',
  })
  email?: string;
}

export class AccessListView {
  @ApiProperty({ enum: ['list'] }) object: 'list';
  @ApiProperty({
    type: [AccessBindingView],
    description: 'The owner first, then the bindings in the order in which they were granted.',
  })
  items: AccessBindingView[];
  @ApiProperty({ type: 'integer' }) total: number;
}

export class RevokedAccessView {
  @ApiProperty({ example: true }) deleted: true;
}

export class AccessPathView {
  @ApiProperty({
    enum: [
      ...['membership', 'scopes', 'owner', 'agent_ids', 'user', 'group'],
      ...['org', 'anonymous', 'signup', 'org_role'],
    ],
    description:
      '`owner`: owns the collection. `agent_ids`: is an agent that the collection is shared with. `user`, `group`, ' +
      '`org`, `anonymous`, `signup`: has an access binding. `org_role`: is owner or admin of the organization. `membership` (is a member of ' +
      'the organization) and `scopes` (of its role) can deny all other paths.',
  })
  path: string;
  @ApiProperty({ required: false, description: 'Principal of the binding.', example: 'default:editors' })
  principal_id?: string;
  @ApiProperty({
    enum: ['grants', 'none', 'denies'],
    description:
      '`grants`: the path grants `role`. `none`: it grants nothing. `denies`: there is no access, whatever other paths grant.',
  })
  outcome: 'grants' | 'none' | 'denies';
  @ApiProperty({ required: false, enum: COLLECTION_ROLES }) role?: string;
}

export class RightView {
  @ApiProperty({ enum: Object.keys(COLLECTION_RIGHTS) }) right: string;
  @ApiProperty() allowed: boolean;
  @ApiProperty({ enum: COLLECTION_ROLES, description: 'The weakest role that has this right.' })
  needs_role: string;
  @ApiProperty({
    example: 'collections:read',
    description: 'Permission that is also required in the organization.',
  })
  needs_permission: string;
  @ApiProperty({
    required: false,
    enum: ['role', 'permission'],
    description: 'What is missing if the right is not allowed.',
  })
  missing?: 'role' | 'permission';
}

export class AccessExplanationView {
  @ApiProperty({ enum: ['collection.access_explanation'] }) object: 'collection.access_explanation';
  @ApiProperty({ format: 'uuid' }) collection_id: string;
  @ApiProperty({ enum: BOUND_TYPES }) principal_type: BoundType;
  @ApiProperty() principal_id: string;
  @ApiProperty({
    enum: COLLECTION_ROLES,
    type: String,
    nullable: true,
    description:
      'The strongest role that a path grants. Null: the principal has no access, and gets 404 for the collection.',
  })
  role: string | null;
  @ApiProperty({
    type: [String],
    nullable: true,
    description:
      "Permissions of the user's role in the organization. Null for agents, which have the permissions of their key, " +
      'and for groups and organizations, whose members have their own; `rights` then depends on the role alone.',
    example: ['collections:*'],
  })
  permissions: string[] | null;
  @ApiProperty({ type: [RightView] }) rights: RightView[];
  @ApiProperty({ type: [AccessPathView] }) paths: AccessPathView[];
}
