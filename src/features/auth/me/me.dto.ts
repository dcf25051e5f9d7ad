import { ApiProperty } from '@nestjs/swagger';
import { TextField } from '../../../platform/http/field.decorators.js';

export class SwitchOrgBody {
  @TextField({
    max: 40,
    description: 'Slug of an organization that the caller is a member of.',
    example: 'default',
  })
  orgSlug: string;
}

const OPEN_OBJECT = { type: 'object', additionalProperties: true } as const;

class HeldRoleView {
  @ApiProperty({
    type: String,
    nullable: true,
    description: 'Slug of the role; null for keys, which have no role.',
    example: 'owner',
  })
  slug: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Owner' })
  name: string | null;

  @ApiProperty({ type: [String], example: ['*'] })
  permissions: readonly string[];

  @ApiProperty({ type: [String], example: [] })
  scopes: readonly string[];
}

export class ActiveOrgView {
  @ApiProperty({ example: 'default' })
  slug: string;

  @ApiProperty({ example: 'Default' })
  name: string;

  @ApiProperty({ type: HeldRoleView })
  role: HeldRoleView;

  @ApiProperty({ type: [String], example: [] })
  groups: readonly string[];

  @ApiProperty(OPEN_OBJECT)
  settings: Readonly<Record<string, unknown>>;

  @ApiProperty(OPEN_OBJECT)
  subscription: Readonly<Record<string, unknown>>;
}

class JoinedOrganizationView {
  @ApiProperty({ example: 'default' })
  slug: string;

  @ApiProperty({ example: 'Default' })
  name: string;

  @ApiProperty({ type: String, nullable: true, example: 'owner' })
  roleSlug: string | null;

  @ApiProperty({ type: [String], example: [] })
  groups: readonly string[];
}

class CallingPrincipalView {
  @ApiProperty({ enum: ['user', 'agent', 'key', 'service-account'], example: 'key' })
  type: string;

  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ type: String, nullable: true, example: 'import' })
  slug: string | null;
}

/** The person's fields, or `principal` instead of them for a key. */
export class MeView {
  @ApiProperty({ required: false, format: 'uuid' })
  id?: string;

  @ApiProperty({ required: false, type: String, nullable: true, example: 'owner@localhost' })
  email?: string | null;

  @ApiProperty({ required: false, type: String, nullable: true, example: 'Ada' })
  firstName?: string | null;

  @ApiProperty({ required: false, type: String, nullable: true, example: 'Lovelace' })
  lastName?: string | null;

  @ApiProperty({ required: false, enum: ['active', 'disabled'] })
  status?: string;

  @ApiProperty({
    required: false,
    type: CallingPrincipalView,
    description: 'The calling key, agent or service account, instead of the fields of a person.',
  })
  principal?: CallingPrincipalView;

  @ApiProperty({ type: [String], example: ['default'] })
  orgSlugs: string[];

  @ApiProperty({ type: String, nullable: true, format: 'uuid' })
  sessionId: string | null;

  @ApiProperty({
    type: String,
    nullable: true,
    format: 'date-time',
    description: 'When the credential expires.',
  })
  expires: string | null;

  @ApiProperty({ type: ActiveOrgView, nullable: true, description: 'The active organization; null: none.' })
  org: ActiveOrgView | null;

  @ApiProperty({
    type: [String],
    description: 'Permissions of this credential in the active organization.',
    example: ['*'],
  })
  permissions: string[];

  @ApiProperty({ type: [JoinedOrganizationView] })
  organizations: JoinedOrganizationView[];
}
