import { ApiProperty } from '@nestjs/swagger';
import type { OrgApiKey } from './org-api-key.entity.js';

/** A key without its secret. */
export class OrgApiKeyView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ example: 'ci-pipeline' }) slug: string;
  @ApiProperty({ example: 'CI pipeline' }) name: string;
  @ApiProperty({ example: 'iak_acme_…1f3c' }) prefix: string;
  @ApiProperty({ type: [String], example: ['collections:read'] }) permissions: string[];
  @ApiProperty({ type: [String], example: ['collections:*'] }) scopes: string[];
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) expiresAt: string | null;
  @ApiProperty() disabled: boolean;
  @ApiProperty({ enum: ['user', 'agent'], nullable: true }) ownerType: 'user' | 'agent' | null;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) ownerId: string | null;
  @ApiProperty({ type: [String], example: ['10.0.0.0/8'] }) ipAllowList: string[];
  @ApiProperty({
    type: String,
    format: 'uuid',
    nullable: true,
    description: 'The one collection it reaches.',
  })
  collectionId: string | null;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) createdBy: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({ type: String, format: 'date-time', nullable: true }) lastUsedAt: string | null;

  static of(this: void, key: OrgApiKey): OrgApiKeyView {
    return {
      id: key.id,
      slug: key.slug,
      name: key.name,
      prefix: key.prefix,
      permissions: key.permissions,
      scopes: key.scopes,
      expiresAt: key.expiresAt?.toISOString() ?? null,
      disabled: key.disabled,
      ownerType: key.ownerType,
      ownerId: key.ownerId,
      ipAllowList: key.ipAllowList,
      collectionId: key.collectionId,
      createdBy: key.createdBy,
      createdAt: key.createdAt.toISOString(),
      lastUsedAt: key.lastUsedAt?.toISOString() ?? null,
    };
  }
}

/** A key with its secret, shown this once. */
export class MintedOrgApiKeyView extends OrgApiKeyView {
  @ApiProperty({ description: 'The key itself, shown this once.' }) apiKey: string;
}

export class OrgApiKeyListView {
  @ApiProperty({ type: [OrgApiKeyView] }) results: OrgApiKeyView[];
  @ApiProperty() total: number;
}
