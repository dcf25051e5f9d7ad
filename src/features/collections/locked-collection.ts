import type { EntityManager } from 'typeorm';
import { PlatformError } from '../../base/kernel/errors.js';
import { isUniqueViolation } from '../../base/kernel/sql-state.js';
import { requireTag, type TagCondition } from '../../platform/http/entity-tags.js';
import { Collection } from './collection.entity.js';
import type { Access } from './collection-access.js';
import { collectionNotFound, requireSameName } from './collection-refusals.js';
import type { CallerRole } from './collection-rights.js';
import { collectionTag } from './collection-view.js';

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

/** Like `lockAccessed`. Throws 412 when the collection's entity tag does not satisfy the condition. */
export async function lockTagged(
  manager: EntityManager,
  access: Access,
  condition: TagCondition | undefined,
): Promise<Collection> {
  const row = await lockAccessed(manager, access);
  requireTag(condition, collectionTag(callerNow(access, row)));
  return row;
}

/** The caller's role, with the columns of the row and the bindings as they are now. */
export function callerNow(
  access: Access,
  row: Collection,
  bindings = access.collection.bindings,
): CallerRole {
  const { ownerName, change } = access.collection;
  return { ...access, collection: { ...row, bindings, ownerName, change } };
}

/** Like `lockAccessed`, for changes of the schema or the indexes. Throws 409 while either is being changed. */
export async function lockSettled(manager: EntityManager, access: Access): Promise<Collection> {
  const row = await lockAccessed(manager, access);
  if (row.status === 'building') throw schemaIsChanged();
  return row;
}

export function schemaIsChanged(): PlatformError {
  return new PlatformError(
    'Conflict',
    'The schema or the indexes of this collection are being changed. Try again when its status is ready.',
  );
}

/** Runs a write; a name that the owner has used already becomes 409 `AlreadyExists`. */
export async function withFreeName<T>({ name }: { name: string }, write: () => Promise<T>): Promise<T> {
  try {
    return await write();
  } catch (error) {
    if (!isUniqueViolation(error)) throw error;
    throw new PlatformError('AlreadyExists', `The owner already has a collection named ${name}.`);
  }
}
