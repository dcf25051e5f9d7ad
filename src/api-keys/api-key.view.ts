import { ApiProperty } from '@nestjs/swagger';
import type { OrgApiKey } from '../orgs/api-keys/org-api-key.entity.js';

/** A collection key without its secret (spec 2.1). */
export class ApiKeyView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ enum: ['collection.api_key'] }) object: 'collection.api_key';
  @ApiProperty({ format: 'uuid' }) collection_id: string;
  @ApiProperty({ example: 'dashboard' }) slug: string;
  @ApiProperty({ example: 'Read-only dashboard' }) name: string;
  @ApiProperty({ description: '`<workspace_slug>:collections:<collection_id>`' }) scope: string;
  @ApiProperty({ type: [String], example: ['collections:read'] }) permissions: string[];
  @ApiProperty({ type: 'integer', nullable: true, description: 'Unix seconds; null: never.' })
  expires_at: number | null;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) last_used_at: string | null;
  @ApiProperty({ example: 'iak_acme_…1f3c', description: 'Start and last four characters of the secret.' })
  prefix: string;

  /** @param workspaceSlug the workspace of this service, SERVICE_WORKSPACE_SLUG. */
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
      expires_at: key.expiresAt === null ? null : Math.floor(key.expiresAt.getTime() / 1000),
      created_at: key.createdAt.toISOString(),
      last_used_at: key.lastUsedAt?.toISOString() ?? null,
      prefix: key.prefix,
    };
  }
}

/** A key with its secret, shown this once. */
export class CreatedApiKeyView extends ApiKeyView {
  @ApiProperty({ description: 'The key itself, shown this once.' }) secret: string;
}

/** Spec 2.2. */
export class ApiKeyListView {
  @ApiProperty({ enum: ['list'] }) object: 'list';
  @ApiProperty({ type: [ApiKeyView] }) items: ApiKeyView[];
  @ApiProperty() total: number;
}

export class DeletedApiKeyView {
  @ApiProperty({ example: true }) deleted: boolean;
}
