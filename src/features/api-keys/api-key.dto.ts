import { ApiProperty } from '@nestjs/swagger';
import { shownParts } from '../../base/kernel/grant-parts.js';
import { COLLECTION_PERMISSIONS } from '../../base/kernel/permission.js';
import { IntegerField, JsonField } from '../../platform/http/field.decorators.js';
import { GrantPartsBody, GrantPartsView } from '../collections/grant-parts.fields.js';
import type { OrgApiKey } from '../orgs/api-keys/org-api-key.entity.js';
import { GraceSecondsField, KeySlugField, NameField } from '../orgs/right.fields.js';

/** 9999-12-31T23:59:59Z, the last second that an ISO date-time with a year of four digits can hold. */
const LAST_SECOND = 253_402_300_799;
const ALLOWED = new Set<unknown>(COLLECTION_PERMISSIONS);

function PermissionsField(options: { default?: string[] } = {}) {
  return JsonField({
    ...options,
    optional: true,
    description:
      'What the key can do with this collection. A collection key can never share, rename or delete the collection, ' +
      'or mint keys, even if such permissions are listed. A key with `rules` or `fields` can only read and write.',
    example: ['collections:read'],
    schema: { type: 'array', items: { type: 'string', enum: [...COLLECTION_PERMISSIONS] }, minItems: 1 },
    expects: `a list of at least one of: ${COLLECTION_PERMISSIONS.join(', ')}`,
    check: value =>
      Array.isArray(value) &&
      value.length >= 1 &&
      value.length <= ALLOWED.size &&
      value.every(each => ALLOWED.has(each)),
  });
}

export class CreateApiKeyBody extends GrantPartsBody {
  @NameField({ example: 'Read-only dashboard' })
  name: string;

  @KeySlugField('dashboard')
  slug: string;

  @PermissionsField({ default: ['collections:read'] })
  permissions?: string[];

  @IntegerField({
    optional: true,
    min: 0,
    max: LAST_SECOND,
    description: 'When the key expires, in Unix seconds; absent: in one year.',
    example: 4_070_908_800,
  })
  expires_at?: number;
}

export class UpdateApiKeyBody extends GrantPartsBody {
  @NameField({ optional: true, example: 'Dashboard of the shop' })
  name?: string;

  @PermissionsField()
  permissions?: string[];

  @IntegerField({
    optional: true,
    min: 0,
    max: LAST_SECOND,
    description: 'When the key expires, in Unix seconds.',
    example: 4_070_908_800,
  })
  expires_at?: number;
}

export class RotateApiKeyBody {
  @GraceSecondsField()
  grace_seconds?: number;
}

/** An API key of a collection, without its secret (spec 2.1). */
export class ApiKeyView extends GrantPartsView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ enum: ['collection.api_key'] }) object: 'collection.api_key';
  @ApiProperty({ format: 'uuid' }) collection_id: string;
  @ApiProperty({ example: 'dashboard' }) slug: string;
  @ApiProperty({ example: 'Read-only dashboard' }) name: string;
  @ApiProperty({ description: '`<workspace_slug>:collections:<collection_id>`' }) scope: string;
  @ApiProperty({ type: [String], example: ['collections:read'] }) permissions: string[];
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'When the key expires, in Unix seconds; null: never.',
  })
  expires_at: number | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) last_used_at: string | null;
  @ApiProperty({ example: 'iak_acme_…1f3c', description: 'Start and last four characters of the secret.' })
  prefix: string;

  /** @param workspaceSlug the setting SERVICE_WORKSPACE_SLUG, the first part of every scope. */
  static of(this: void, key: OrgApiKey, workspaceSlug: string): ApiKeyView {
    const collectionId = key.collectionId as string;
    return {
      id: key.id,
      object: 'collection.api_key',
      collection_id: collectionId,
      slug: key.slug,
      name: key.name,
      scope: `${workspaceSlug}:collections:${collectionId}`,
      permissions: key.permissions,
      ...shownParts(key),
      expires_at: key.expiresAt === null ? null : Math.floor(key.expiresAt.getTime() / 1000),
      created_at: key.createdAt.toISOString(),
      last_used_at: key.lastUsedAt?.toISOString() ?? null,
      prefix: key.prefix,
    };
  }
}

/** A key with its secret, which no other response contains. */
export class CreatedApiKeyView extends ApiKeyView {
  @ApiProperty({ description: 'The key itself. Shown only in this response.' }) secret: string;
}

/** A page of a collection's keys, the oldest first, and the number of all of them (spec 2.2). */
export class ApiKeyListView {
  @ApiProperty({ enum: ['list'] }) object: 'list';
  @ApiProperty({ type: [ApiKeyView], description: 'A page of the keys, the oldest first.' })
  items: ApiKeyView[];
  @ApiProperty({ type: 'integer', description: 'Number of all keys of the collection.' }) total: number;
}

export class DeletedApiKeyView {
  @ApiProperty({ example: true }) deleted: boolean;
}
