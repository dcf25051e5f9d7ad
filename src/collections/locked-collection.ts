import type { EntityManager } from 'typeorm';
import { PlatformError } from '../kernel/errors.js';
import { Collection } from './collection.entity.js';
import { type Access, collectionNotFound, requireSameName } from './collection-access.js';

/** Locks the row until the transaction ends. Throws 404 when the collection was deleted. */
export async function lockCollection(manager: EntityManager, id: string): Promise<Collection> {
  const row = await manager.findOne(Collection, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (row === null) throw collectionNotFound();
  return row;
}

/**
 * Like `lockCollection`, for a caller with access. Throws 409 when the caller named the collection and it was renamed
 * since.
 */
export async function lockAccessed(manager: EntityManager, access: Access): Promise<Collection> {
  const row = await lockCollection(manager, access.collection.id);
  requireSameName(access, row);
  return row;
}

/** Like `lockAccessed`, for changes of the schema or the indexes. Throws 409 while indexes are being built. */
export async function lockSettled(manager: EntityManager, access: Access): Promise<Collection> {
  const row = await lockAccessed(manager, access);
  if (row.status === 'building') throw indexesAreBuilt();
  return row;
}

export function indexesAreBuilt(): PlatformError {
  return new PlatformError(
    'Conflict',
    'Indexes of this collection are being built. Try again when its status is ready.',
  );
}
