import { IntegerField, JsonField } from '../http/field.decorators.js';
import { COLLECTION_PERMISSIONS } from '../kernel/collection-right.js';
import { KeySlugField, NameField } from '../orgs/right.fields.js';

/** 9999-12-31T23:59:59Z, the last instant that an ISO date-time of four-digit years can say. */
const LAST_SECOND = 253_402_300_799;
const ALLOWED = new Set<unknown>(COLLECTION_PERMISSIONS);

export class CreateApiKeyBody {
  @NameField({ example: 'Read-only dashboard' })
  name: string;

  @KeySlugField('dashboard')
  slug: string;

  @JsonField({
    optional: true,
    default: ['collections:read'],
    description:
      'What the key may do with this collection. Whatever is listed, a collection key never shares, ' +
      'mints keys, renames or deletes.',
    example: ['collections:read'],
    schema: { type: 'array', items: { type: 'string', enum: [...COLLECTION_PERMISSIONS] }, minItems: 1 },
    expects: `a list of at least one of: ${COLLECTION_PERMISSIONS.join(', ')}`,
    check: value =>
      Array.isArray(value) &&
      value.length >= 1 &&
      value.length <= ALLOWED.size &&
      value.every(each => ALLOWED.has(each)),
  })
  permissions?: string[];

  @IntegerField({
    optional: true,
    min: 0,
    max: LAST_SECOND,
    description: 'When it dies, Unix seconds; absent: in one year.',
    example: 4_070_908_800,
  })
  expires_at?: number;
}

export class RotateApiKeyBody {
  @IntegerField({
    optional: true,
    min: 0,
    max: 86_400,
    default: 0,
    description: 'Seconds the old secret stays good.',
    example: 3600,
  })
  grace_seconds?: number;
}
