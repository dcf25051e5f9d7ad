import { ApiProperty } from '@nestjs/swagger';
import {
  BOUND_TYPES,
  type BoundType,
  GRANTABLE_ROLES,
  type GrantableRole,
} from '../collections/collection-binding.entity.js';
import { ChoiceField, TextField } from '../http/field.decorators.js';
import { COLLECTION_RIGHTS, COLLECTION_ROLES } from '../kernel/permission.js';

const EXPLAINED_TYPES = [...BOUND_TYPES, 'agent'] as const;
export type ExplainedType = (typeof EXPLAINED_TYPES)[number];

function RoleField() {
  return ChoiceField(GRANTABLE_ROLES, {
    description: 'What they may do with the collection.',
    example: 'reader',
  });
}

export class GrantAccessBody {
  @ChoiceField(BOUND_TYPES, {
    description:
      'With whom it is shared; `org`: everybody in it, agents too. Single agents are named in `agent_ids`.',
    example: 'group',
  })
  principal_type: BoundType;

  @TextField({
    max: 200,
    description:
      "A user's id, `orgSlug:groupSlug`, or the organization's slug; all in the collection's organization.",
    example: 'default:editors',
  })
  principal_id: string;

  @RoleField()
  role: GrantableRole;
}

export class UpdateAccessBody {
  @RoleField()
  role: GrantableRole;
}

export class ExplainAccessQuery {
  @ChoiceField(EXPLAINED_TYPES, { description: 'Whose access.', example: 'user' })
  principal_type: ExplainedType;

  @TextField({
    max: 200,
    description: "A user's or an agent's id, `orgSlug:groupSlug`, or the organization's slug.",
    example: '0197a5c0-0000-7000-8000-000000000000',
  })
  principal_id: string;
}

/** One principal and its role on a collection (collections contract, Objects). */
export class AccessBindingView {
  @ApiProperty({ enum: ['collection.access'] }) object: 'collection.access';
  @ApiProperty({ format: 'uuid' }) collection_id: string;
  @ApiProperty({ enum: EXPLAINED_TYPES, description: '`agent` only for an owner that is one.' })
  principal_type: string;
  @ApiProperty({
    description: "User's id, `orgSlug:groupSlug`, or organization's slug.",
    example: 'default:editors',
  })
  principal_id: string;
  @ApiProperty({ enum: COLLECTION_ROLES }) role: string;
  @ApiProperty({ required: false, description: 'For users who have one.', example: 'ada@example.com' })
  email?: string;
}

export class AccessListView {
  @ApiProperty({ enum: ['list'] }) object: 'list';
  @ApiProperty({ type: [AccessBindingView], description: 'The owner first, then in the order of granting.' })
  items: AccessBindingView[];
  @ApiProperty({ type: 'integer' }) total: number;
}

export class RevokedAccessView {
  @ApiProperty({ example: true }) deleted: true;
}

export class AccessPathView {
  @ApiProperty({
    enum: ['membership', 'scopes', 'owner', 'agent_ids', 'user', 'group', 'org', 'org_role'],
    description:
      '`owner`: owns the collection. `agent_ids`: an agent it is shared with. `user`, `group`, `org`: a binding. ' +
      '`org_role`: owner or admin of the organization. Without `membership` in the organization, and outside the ' +
      '`scopes` of its role, no path leads anywhere.',
  })
  path: string;
  @ApiProperty({ required: false, description: 'Of the binding.', example: 'default:editors' })
  principal_id?: string;
  @ApiProperty({
    enum: ['grants', 'none', 'denies'],
    description: 'Grants `role`, leads nowhere, or denies whatever other paths grant.',
  })
  outcome: 'grants' | 'none' | 'denies';
  @ApiProperty({ required: false, enum: COLLECTION_ROLES }) role?: string;
}

export class RightView {
  @ApiProperty({ enum: Object.keys(COLLECTION_RIGHTS) }) right: string;
  @ApiProperty() allowed: boolean;
  @ApiProperty({ enum: COLLECTION_ROLES, description: 'The weakest role that may.' }) needs_role: string;
  @ApiProperty({ example: 'collections:read', description: 'Held in the organization as well.' })
  needs_permission: string;
  @ApiProperty({ required: false, enum: ['role', 'permission'], description: 'What stands in the way.' })
  missing?: 'role' | 'permission';
}

export class AccessExplanationView {
  @ApiProperty({ enum: ['collection.access_explanation'] }) object: 'collection.access_explanation';
  @ApiProperty({ format: 'uuid' }) collection_id: string;
  @ApiProperty({ enum: EXPLAINED_TYPES }) principal_type: ExplainedType;
  @ApiProperty() principal_id: string;
  @ApiProperty({
    enum: COLLECTION_ROLES,
    type: String,
    nullable: true,
    description: 'The strongest role that a path grants; null: for them the collection does not exist.',
  })
  role: string | null;
  @ApiProperty({
    type: [String],
    nullable: true,
    description:
      "Permissions that the user's role in the organization holds. Null where there are none to know: an agent's are " +
      "those of the key it calls with, a group's and an organization's those of each member. Rights then tell what " +
      'the role allows.',
    example: ['collections:*'],
  })
  permissions: string[] | null;
  @ApiProperty({ type: [RightView] }) rights: RightView[];
  @ApiProperty({ type: [AccessPathView] }) paths: AccessPathView[];
}
