import { createHash } from 'node:crypto';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { COLUMN_TYPES } from '../columns/index.js';
import {
  ChoiceField,
  FlagField,
  IntegerField,
  JsonField,
  NestedField,
  TextField,
  TextListField,
} from '../http/field.decorators.js';
import { PageQuery } from '../http/list-page.js';
import { JsonText } from '../kernel/json.js';
import { COLLECTION_ROLES, type CollectionRight, type CollectionRole } from '../kernel/permission.js';
import type { Collection } from './collection.entity.js';
import { hasRight, type Standing } from './collection-access.js';
import { LIST_ORDERS, type ListOrder } from './visible-collections.js';

const NAME = {
  min: 1,
  max: 64,
  pattern: /^[A-Za-z0-9_-]+$/,
  hint: 'A-Z a-z 0-9 _ -',
  description: 'Name of the collection, unique per owner.',
  example: 'customers',
} as const;

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

const AGENT_IDS = {
  optional: true,
  max: 1000,
  pattern: UUID,
  hint: 'uuid form',
  description: 'Ids of agents that the collection is shared with, as editors.',
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
}

export class CreateCollectionBody {
  @TextField(NAME)
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
    description: 'Indexes over columns.',
    example: [{ properties: ['age'] }],
    schema: INDEX_SCHEMA,
  })
  indexes?: unknown;

  @JsonField({
    optional: true,
    description: 'Unique constraints. Null values are never equal to each other.',
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
  @TextField({ ...NAME, optional: true })
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

export class ColumnView {
  @ApiProperty({ enum: Object.keys(COLUMN_TYPES) }) type: string;
  @ApiProperty() nullable: boolean;
}

export class IndexView {
  @ApiProperty({ type: [String] }) properties: string[];
}

export class CollectionSettingsView {
  @ApiProperty({ description: 'Days after which a record expires; 0 = never.' }) ttl_days: number;
  @ApiProperty({ description: 'Maximum number of records in the collection.' }) max_records: number;
}

/** The rights that `my_rights` can contain. */
const VIEWED_RIGHTS = [
  'read',
  'write',
  'manage',
  'share',
  'keys',
  'webhooks',
  'delete',
] as const satisfies CollectionRight[];

/** A collection in responses (collections contract, Objects), as one caller sees it. */
export class CollectionView {
  @ApiProperty({ format: 'uuid' }) collection_id: string;
  @ApiProperty() name: string;
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  @ApiProperty() owner_id: string;
  @ApiProperty({ enum: ['user', 'agent'] }) owner_type: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Name of the owner, or the e-mail address of a user without a name. Null when neither is known, and for keys of the collection.',
  })
  owner_name: string | null;
  @ApiProperty({ enum: COLLECTION_ROLES, description: "The caller's role on the collection." })
  my_role: CollectionRole;
  @ApiProperty({
    enum: VIEWED_RIGHTS,
    isArray: true,
    description: 'What role and permissions together allow the caller to do here.',
  })
  my_rights: CollectionRight[];
  @ApiProperty({ type: [String] }) agent_ids: string[];
  @ApiProperty() orgSlug: string;
  @ApiProperty({ type: CollectionSettingsView }) settings: CollectionSettingsView;
  @ApiProperty({ type: 'object', additionalProperties: { $ref: '#/components/schemas/ColumnView' } })
  schema: Record<string, ColumnView>;
  @ApiProperty({ type: [IndexView] }) indexes: IndexView[];
  @ApiProperty({ type: [IndexView] }) uniques: IndexView[];
  @ApiProperty({ type: 'array', items: { type: 'object', additionalProperties: true } }) charts: unknown[];
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description: 'Number of records, estimated from database statistics; null if not requested.',
  })
  row_count: number | null;
  @ApiProperty({ enum: ['ready', 'building'] }) status: string;
  @ApiProperty({ format: 'date-time' }) created_at: string;
  @ApiProperty({ format: 'date-time' }) updated_at: string;
}

export class CollectionListView {
  @ApiProperty({ type: [CollectionView] }) items: CollectionView[];
  @ApiProperty({ type: 'integer' }) total: number;
  @ApiProperty({ type: 'integer' }) page: number;
  @ApiProperty({ type: 'integer' }) limit: number;
}

export class CreatedCollectionView {
  @ApiProperty({ format: 'uuid' }) collection_id: string;
  @ApiProperty() name: string;
  @ApiProperty() owner_id: string;
  @ApiProperty({ enum: ['user', 'agent'] }) owner_type: string;
  @ApiProperty({ enum: ['ready', 'building'] }) status: string;
  @ApiProperty({ description: 'true: columns, indexes or unique constraints were created too.' })
  schema_applied: boolean;
}

export class DeletedView {
  @ApiProperty({ example: true }) deleted: true;
}

/** `rowCount` is null unless the request asked for it. */
export function collectionView(standing: Standing, rowCount: number | null = null): CollectionView {
  const { collection, membership } = standing;
  return {
    collection_id: collection.id,
    name: collection.name,
    description: collection.description,
    owner_id: collection.ownerId,
    owner_type: collection.ownerType,
    ...callerView(standing),
    agent_ids: collection.agentIds,
    orgSlug: membership.orgSlug,
    settings: collection.settings,
    schema: Object.fromEntries(
      Object.entries(collection.columns).map(([name, { type, nullable }]) => [name, { type, nullable }]),
    ),
    indexes: collection.indexes.map(({ properties }) => ({ properties: [...properties] })),
    uniques: collection.uniques.map(({ properties }) => ({ properties: [...properties] })),
    charts: collection.charts,
    row_count: rowCount,
    status: collection.status,
    created_at: collection.createdAt.toISOString(),
    updated_at: collection.updatedAt.toISOString(),
  };
}

/** The part of the view that can change without a new version of the collection. */
function callerView(standing: Standing): Pick<CollectionView, 'owner_name' | 'my_role' | 'my_rights'> {
  const { principal, collection, role } = standing;
  return {
    owner_name: principal.collectionId === undefined ? collection.ownerName : null,
    my_role: role,
    my_rights: VIEWED_RIGHTS.filter(right => hasRight(standing, right)),
  };
}

/** The view as a response body with its entity tag. */
export function collectionAnswer(standing: Standing): JsonText {
  return new JsonText(JSON.stringify(collectionView(standing)), collectionTag(standing));
}

/**
 * Opaque part of a collection's entity tag. It contains the time, because a restore resets the versions, and a digest of
 * what depends on the caller.
 */
export function collectionTag(standing: Standing): string {
  const { version, updatedAt } = standing.collection;
  const seen = createHash('sha256')
    .update(JSON.stringify(callerView(standing)))
    .digest('base64url');
  return `${version}-${updatedAt.getTime()}-${seen.slice(0, 12)}`;
}

export function createdView(collection: Collection): CreatedCollectionView {
  return {
    collection_id: collection.id,
    name: collection.name,
    owner_id: collection.ownerId,
    owner_type: collection.ownerType,
    status: collection.status,
    schema_applied: Object.keys(collection.columns).length > 0,
  };
}
