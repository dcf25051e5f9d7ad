import { ApiProperty } from '@nestjs/swagger';
import { FlagField } from '../../../platform/http/field.decorators.js';
import { NameField, PermissionsField, ScopesField, SlugField } from '../right.fields.js';
import type { ServiceAccount } from './service-account.entity.js';

export class CreateServiceAccountBody {
  @SlugField({
    description: 'Unique in the organization. Part of the subject (`sub`) of its tokens.',
    example: 'nightly-import',
  })
  slug: string;

  @NameField({ example: 'Nightly import' })
  name: string;

  @PermissionsField({ example: ['collections:read', 'collections:write'] })
  permissions: string[];

  @ScopesField()
  scopes?: string[];
}

export class UpdateServiceAccountBody {
  @NameField({ optional: true, example: 'Hourly import' })
  name?: string;

  @PermissionsField({ optional: true, example: ['collections:read'] })
  permissions?: string[];

  @ScopesField()
  scopes?: string[];

  @FlagField({
    optional: true,
    description: 'true: ends its sessions and refuses new tokens until `disabled` is set to false.',
    example: false,
  })
  disabled?: boolean;
}

/** A service account without its secret. */
export class ServiceAccountView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ example: 'nightly-import' }) slug: string;
  @ApiProperty({ example: 'Nightly import' }) name: string;
  @ApiProperty({ type: [String], example: ['collections:read'] }) permissions: string[];
  @ApiProperty({ type: [String], example: [] }) scopes: string[];
  @ApiProperty({ example: 'sas_acme_…1f3c' }) prefix: string;
  @ApiProperty() disabled: boolean;
  @ApiProperty({ type: String, format: 'uuid', nullable: true }) createdBy: string | null;
  @ApiProperty({ format: 'date-time' }) createdAt: string;
  @ApiProperty({
    type: String,
    format: 'date-time',
    nullable: true,
    description: 'When it last got a token; null: never.',
  })
  lastUsedAt: string | null;

  static of(this: void, account: ServiceAccount): ServiceAccountView {
    return {
      id: account.id,
      slug: account.slug,
      name: account.name,
      permissions: account.permissions,
      scopes: account.scopes,
      prefix: account.prefix,
      disabled: account.disabled,
      createdBy: account.createdBy,
      createdAt: account.createdAt.toISOString(),
      lastUsedAt: account.lastUsedAt?.toISOString() ?? null,
    };
  }
}

/** A service account with its secret, which no other response contains. */
export class MintedServiceAccountView extends ServiceAccountView {
  @ApiProperty({
    description: 'Secret that it gets tokens with. Shown only in this response.',
    example: 'sas_acme_00000000-0000-4000-8000-000000000000',
  })
  clientSecret: string;
}

export class ServiceAccountListView {
  @ApiProperty({ type: [ServiceAccountView] }) results: ServiceAccountView[];
  @ApiProperty() total: number;
}
