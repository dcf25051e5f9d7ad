import { ApiProperty } from '@nestjs/swagger';
import {
  ChoiceField,
  DateTimeField,
  FlagField,
  JsonField,
  TextField,
} from '../../../platform/http/field.decorators.js';
import {
  GraceSecondsField,
  IdField,
  KeySlugField,
  NameField,
  PermissionsField,
  ScopesField,
} from '../right.fields.js';
import { isIpRange } from './key-rights.js';
import type { OrgApiKey } from './org-api-key.entity.js';

/** Limit of addresses and ranges for one key. */
const MAX_RANGES = 100;

const EXPIRY = { optional: true, nullable: true, example: '2099-12-31T00:00:00Z' };

function IpAllowListField() {
  return JsonField({
    optional: true,
    description: 'IP addresses and CIDR ranges from which the key can be used. Empty: from anywhere.',
    example: [],
    schema: { type: 'array', items: { type: 'string' }, maxItems: MAX_RANGES },
    expects: `a list of at most ${MAX_RANGES} IP addresses or CIDR ranges`,
    check: value =>
      Array.isArray(value) &&
      value.length <= MAX_RANGES &&
      value.every(each => typeof each === 'string' && isIpRange(each)),
  });
}

export class MintOrgApiKeyBody {
  @KeySlugField('ci-pipeline')
  slug: string;

  @NameField({ example: 'CI pipeline' })
  name: string;

  @PermissionsField({ example: ['collections:read', 'collections:write'] })
  permissions: string[];

  @ScopesField()
  scopes?: string[];

  @DateTimeField({ ...EXPIRY, description: 'When it expires; null or absent: never.' })
  expiresAt?: string | null;

  @ChoiceField(['user', 'agent'], {
    optional: true,
    nullable: true,
    description: 'Kind of principal that the key acts as. Absent: it acts as itself, for the organization.',
    example: null,
  })
  ownerType?: 'user' | 'agent' | null;

  @IdField({
    optional: true,
    nullable: true,
    description: 'Id of the user or agent that the key acts as.',
    example: null,
  })
  ownerId?: string | null;

  @IpAllowListField()
  ipAllowList?: string[];
}

export class UpdateOrgApiKeyBody {
  @NameField({ optional: true, example: 'CI pipeline, nightly' })
  name?: string;

  @PermissionsField({ optional: true, example: ['collections:read'] })
  permissions?: string[];

  @ScopesField()
  scopes?: string[];

  @DateTimeField({ ...EXPIRY, description: 'When it expires; null: never.' })
  expiresAt?: string | null;

  @FlagField({
    optional: true,
    description: 'true: the key is refused until `disabled` is set to false.',
    example: false,
  })
  disabled?: boolean;

  @IpAllowListField()
  ipAllowList?: string[];
}

export class RotateOrgApiKeyBody {
  @DateTimeField({ ...EXPIRY, description: 'When the key expires. Absent: unchanged.' })
  expiresAt?: string | null;

  @GraceSecondsField()
  graceSeconds?: number;
}

export class ValidateOrgApiKeyBody {
  @TextField({
    optional: true,
    description: 'API key to validate. Absent: the key in the header `x-platform-api-key`.',
    example: 'iak_acme_00000000-0000-4000-8000-000000000000',
  })
  apiKey?: string;
}

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
    description: 'Id of the collection that the key is limited to; null: all collections.',
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

/** A key with its secret, which no other response contains. */
export class MintedOrgApiKeyView extends OrgApiKeyView {
  @ApiProperty({ description: 'The key itself. Shown only in this response.' }) apiKey: string;
}

export class OrgApiKeyListView {
  @ApiProperty({ type: [OrgApiKeyView] }) results: OrgApiKeyView[];
  @ApiProperty() total: number;
}
