import { createHash } from 'node:crypto';
import { ApiProperty, ApiPropertyOptional } from '@nestjs/swagger';
import { JsonText } from '../../base/kernel/json.js';
import { COLLECTION_ROLES, type CollectionRight, type CollectionRole } from '../../base/kernel/permission.js';
import { limitedAs } from '../../base/kernel/principal.js';
import { COLUMN_TYPES } from '../../engine/columns/index.js';
import { wholeOf } from '../../engine/storage/collection-shape.js';
import type { Collection } from './collection.entity.js';
import { boundAgents } from './collection-binding.entity.js';
import { type CallerRole, hasRight } from './collection-rights.js';
import { accessView, ShownParts } from './seen-fields.js';

export class ColumnView {
  @ApiProperty({ enum: Object.keys(COLUMN_TYPES) }) type: string;
  @ApiProperty() nullable: boolean;
}

export class IndexView {
  @ApiProperty({ type: [String] }) properties: string[];
  @ApiProperty({ enum: ['search'], required: false, description: 'Only of an index that serves `$search`.' })
  kind?: 'search';
}

export class CollectionSettingsView {
  @ApiProperty({ description: 'Days after which a record expires; 0 = never.' }) ttl_days: number;
  @ApiProperty({ description: 'Maximum number of records in the collection.' }) max_records: number;
  @ApiProperty({
    description: 'Days for which the collection keeps what updates and deletes replace; 0 = not at all.',
  })
  history_days: number;
}

/** A running change of the schema, or the last one if it failed. */
export class SchemaChangeView {
  @ApiProperty({ enum: ['running', 'failed'], description: 'Whether the change is running or has failed.' })
  state: string;
  @ApiProperty({ type: 'integer', description: 'Records that the change has read.' }) done_rows: number;
  @ApiProperty({ type: 'integer', description: 'Records that the change has to read.' }) total_rows: number;
  @ApiProperty({ format: 'date-time', description: 'When the change began.' }) started_at: string;
  @ApiProperty({
    type: 'object',
    additionalProperties: true,
    nullable: true,
    description: 'Why the change failed, in the form of an error response; null while it is running.',
  })
  error: object | null;
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

/** Which fields a caller reaches in the records that it sees or writes. */
export class MyAccessView {
  @ApiProperty({ description: 'True: rules or fields restrict what the caller reads or writes.' })
  restricted: boolean;
  @ApiProperty({
    type: [String],
    nullable: true,
    description:
      'Fields that the caller sees in some record, beside _id, created_at and updated_at; null: all.',
  })
  read_fields: string[] | null;
  @ApiProperty({
    type: [String],
    nullable: true,
    description: 'Fields that the caller can write in some record; null: all.',
  })
  write_fields: string[] | null;
}

/** A collection in responses (collections contract, Objects), as one caller sees it. */
export class CollectionView {
  @ApiProperty({ format: 'uuid' }) collection_id: string;
  @ApiProperty() name: string;
  @ApiProperty({ type: String, nullable: true }) description: string | null;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Id of the user or agent that owns the collection. Null for anonymous members and app users.',
  })
  owner_id: string | null;
  @ApiProperty({ enum: ['user', 'agent'] }) owner_type: string;
  @ApiProperty({
    type: String,
    nullable: true,
    description:
      'Name of the owner, or the e-mail address of a user without a name. Null when neither is known, for keys of the collection, and for anonymous members and app users.',
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
  @ApiProperty({
    type: MyAccessView,
    description:
      'Whether rules or fields restrict the caller. A restricted caller is shown no part of the collection that names a field which it neither sees nor writes.',
  })
  my_access: MyAccessView;
  @ApiProperty({
    type: [String],
    description:
      'Ids of the agents that the collection is shared with. Empty for anonymous members and app users.',
  })
  agent_ids: string[];
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
    description:
      'Number of records, estimated from database statistics; null if not requested, and for restricted callers.',
  })
  row_count: number | null;
  @ApiProperty({
    type: 'integer',
    nullable: true,
    description:
      'Bytes that the history takes in the database, measured every hour. A measurement does not change the ETag. Null for restricted callers.',
  })
  history_bytes: number | null;
  @ApiProperty({ enum: ['ready', 'building'] }) status: string;
  @ApiPropertyOptional({
    type: SchemaChangeView,
    description:
      'Only while the schema of a large collection is being changed, and after such a change failed.',
  })
  change?: SchemaChangeView;
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
export function collectionView(access: CallerRole, rowCount: number | null = null): CollectionView {
  const { membership } = access;
  const collection = wholeOf(access.collection) as Collection;
  const isRestricted = access.restrictions !== undefined;
  const shown = new ShownParts(access);
  const columns = Object.entries(collection.columns).filter(([name]) => shown.field(name));
  return {
    collection_id: collection.id,
    name: collection.name,
    description: collection.description,
    owner_type: collection.ownerType,
    ...changingView(access),
    orgSlug: membership.orgSlug,
    settings: collection.settings,
    schema: Object.fromEntries(columns.map(([name, { type, nullable }]) => [name, { type, nullable }])),
    indexes: collection.indexes
      .filter(index => shown.index(index))
      .map(({ properties, kind }) => ({ properties: [...properties], ...(kind && { kind }) })),
    uniques: collection.uniques
      .filter(unique => shown.index(unique))
      .map(({ properties }) => ({ properties: [...properties] })),
    charts: collection.charts.filter(chart => shown.definition(chart)),
    row_count: isRestricted ? null : rowCount,
    history_bytes: isRestricted ? null : collection.historyBytes,
    status: collection.status,
    created_at: collection.createdAt.toISOString(),
    updated_at: collection.updatedAt.toISOString(),
  };
}

/** The part of the view that can change without a new version of the collection. */
function changingView(
  access: CallerRole,
): Pick<
  CollectionView,
  'owner_id' | 'owner_name' | 'my_role' | 'my_rights' | 'my_access' | 'agent_ids' | 'change'
> {
  const { principal, membership, collection, role } = access;
  const seesPeople = limitedAs(principal, membership) === undefined;
  return {
    ...(collection.change !== null && { change: collection.change }),
    owner_id: seesPeople ? collection.ownerId : null,
    owner_name: seesPeople && principal.collectionId === undefined ? collection.ownerName : null,
    my_role: role,
    my_rights: VIEWED_RIGHTS.filter(right => hasRight(access, right)),
    my_access: accessView(access),
    agent_ids: seesPeople ? boundAgents(collection.bindings) : [],
  };
}

/** The view as a response body with its entity tag. */
export function collectionAnswer(access: CallerRole): JsonText {
  return new JsonText(JSON.stringify(collectionView(access)), collectionTag(access));
}

/**
 * Opaque part of a collection's entity tag. It contains the time, because a restore resets the versions, and a digest of
 * what changes without a new version.
 */
export function collectionTag(access: CallerRole): string {
  const { version, updatedAt } = access.collection;
  const seen = createHash('sha256')
    .update(JSON.stringify(changingView(access)))
    .digest('base64url');
  return `${version}-${updatedAt.getTime()}-${seen.slice(0, 12)}`;
}

/** The part of a collection that audit events contain. `agentIds`: the agents that it is shared with, where known. */
export function describedCollection(collection: Collection, agentIds?: readonly string[]): object {
  const { name, description, ownerType, ownerId, settings, columns, indexes, uniques } = collection;
  return { name, description, ownerType, ownerId, agentIds, settings, columns, indexes, uniques };
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
