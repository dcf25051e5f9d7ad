import type { ApiPropertyOptions } from '@nestjs/swagger';
import { UUID } from '../../base/kernel/id.js';
import { COLUMN_TYPES } from '../../engine/columns/index.js';
import {
  ChoiceField,
  FlagField,
  IntegerField,
  JsonField,
  NestedField,
  TextField,
  TextListField,
} from '../../platform/http/field.decorators.js';
import { PageQuery } from '../../platform/http/list-page.js';
import { ALLOW_UNKNOWN } from './schema/schema.dto.js';
import { LIST_ORDERS, type ListOrder } from './visible-collections.js';

/** The rule for names of collections. */
export const COLLECTION_NAME = {
  min: 1,
  max: 64,
  pattern: /^[A-Za-z0-9_-]+$/,
  hint: 'A-Z a-z 0-9 _ -',
  description: 'Name of the collection, unique per owner.',
  example: 'customers',
} as const;

const AGENT_IDS = {
  optional: true,
  max: 1000,
  pattern: UUID,
  hint: 'uuid form',
  description:
    'Ids of agents that the collection is shared with, as editors. Adding and removing agents needs the right `share`.',
  example: [],
};

const COLUMN_SCHEMA = {
  type: 'object' as const,
  properties: {
    type: { type: 'string', enum: Object.keys(COLUMN_TYPES) },
    nullable: { type: 'boolean', default: true },
  },
  required: ['type'],
};

const INDEX_SCHEMA: ApiPropertyOptions = {
  type: 'array',
  items: {
    type: 'object',
    properties: { properties: { type: 'array', items: { type: 'string' }, minItems: 1, maxItems: 16 } },
    required: ['properties'],
  },
  maxItems: 32,
};

export class CollectionSettingsBody {
  @IntegerField({
    min: 0,
    max: 36_500,
    optional: true,
    default: 0,
    description: 'Days after which a record expires; 0 = never.',
  })
  ttl_days?: number;

  @IntegerField({
    min: 1,
    optional: true,
    default: 10_000,
    description: 'Maximum number of records in the collection.',
  })
  max_records?: number;

  @IntegerField({
    min: 0,
    max: 3650,
    optional: true,
    default: 7,
    description:
      'Days for which the collection keeps what updates and deletes replace; 0 = not at all, and what was kept is removed.',
  })
  history_days?: number;
}

export class CreateCollectionBody {
  @TextField(COLLECTION_NAME)
  name: string;

  @TextField({
    optional: true,
    nullable: true,
    min: 0,
    max: 4000,
    description: 'What the collection is for.',
    example: 'People who buy from us',
  })
  description?: string | null;

  @NestedField(() => CollectionSettingsBody, {
    optional: true,
    description: 'Expiry of records and maximum size of the collection.',
    example: { ttl_days: 0, max_records: 10_000 },
  })
  settings?: CollectionSettingsBody;

  @JsonField({
    optional: true,
    description: 'Columns, as name to type. Other fields of records are stored too, but without a type.',
    example: { email: { type: 'text', nullable: false }, age: { type: 'integer' }, tags: { type: 'array' } },
    schema: { type: 'object', additionalProperties: COLUMN_SCHEMA },
  })
  properties?: unknown;

  @JsonField({
    optional: true,
    description: 'Indexes over columns, system fields, flexible fields and dotted paths.',
    example: [{ properties: ['age'] }],
    schema: INDEX_SCHEMA,
  })
  indexes?: unknown;

  @FlagField(ALLOW_UNKNOWN)
  allow_unknown?: boolean;

  @JsonField({
    optional: true,
    description:
      'Unique constraints over columns and `_created_by`. Null values are never equal to each other.',
    example: [{ properties: ['email'] }],
    schema: INDEX_SCHEMA,
  })
  uniques?: unknown;

  @TextListField(AGENT_IDS)
  agent_ids?: string[];

  @TextField({
    optional: true,
    max: 255,
    description: 'Accepted so that a suggested schema can be sent unchanged. Has no effect.',
  })
  model?: string;
}

export class UpdateCollectionBody {
  @TextField({ ...COLLECTION_NAME, optional: true })
  name?: string;

  @TextField({
    optional: true,
    nullable: true,
    min: 0,
    max: 4000,
    description: 'What the collection is for; null removes the description.',
    example: 'Customers of the web shop',
  })
  description?: string | null;

  @NestedField(() => CollectionSettingsBody, {
    optional: true,
    description: 'Expiry of records and maximum size. Absent settings stay unchanged.',
    example: { max_records: 50_000 },
  })
  settings?: CollectionSettingsBody;

  @TextListField(AGENT_IDS)
  agent_ids?: string[];
}

export class ListCollectionsQuery extends PageQuery {
  @FlagField({
    optional: true,
    default: false,
    description: 'true: each collection has `row_count`, an estimate from database statistics.',
  })
  with_counts: boolean = false;

  @ChoiceField(['owned', 'shared', 'all'], {
    optional: true,
    default: 'owned',
    description:
      'Which collections to list: those that the caller owns, those shared with it, or all that it can see.',
  })
  scope: 'owned' | 'shared' | 'all' = 'owned';

  @TextField({
    optional: true,
    min: 0,
    max: 200,
    description: 'Only collections whose name or description contains this text, in any case.',
    example: 'cust',
  })
  q?: string;

  @ChoiceField(LIST_ORDERS, {
    optional: true,
    description: 'Order of the list; `-` begins with the last. Without it, the oldest collection is first.',
    example: 'name',
  })
  sort?: ListOrder;
}
