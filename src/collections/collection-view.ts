import { JsonText } from '../kernel/json.js';
import type { Collection } from './collection.entity.js';
import type { CollectionView, CreatedCollectionView } from './collections.dto.js';

/** The collection as clients see it; `rowCount` only when it was asked for. */
export function collectionView(
  collection: Collection,
  orgSlug: string,
  rowCount: number | null = null,
): CollectionView {
  return {
    collection_id: collection.id,
    name: collection.name,
    description: collection.description,
    owner_id: collection.ownerId,
    owner_type: collection.ownerType,
    agent_ids: collection.agentIds,
    orgSlug,
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

/** The same as an answer with its entity tag. */
export function collectionAnswer(collection: Collection, orgSlug: string): JsonText {
  return new JsonText(JSON.stringify(collectionView(collection, orgSlug)), collectionTag(collection));
}

/** Opaque part of a collection's entity tag. The instant tells versions apart that a restored backup counts again. */
export function collectionTag({ version, updatedAt }: Collection): string {
  return `${version}-${updatedAt.getTime()}`;
}

/** What the creation of a collection is answered with. */
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
