import type { EntityManager } from 'typeorm';
import { PlatformError } from '../../kernel/errors.js';
import { Collection } from '../collection.entity.js';
import { type Access, collectionNotFound, requireSameName } from '../collection-access.js';

/** The row, locked until the transaction ends. Throws 404 when it is gone, 409 when renamed or while indexes are built. */
export async function lockSettled(manager: EntityManager, access: Access): Promise<Collection> {
  const { id } = access.collection;
  const row = await manager.findOne(Collection, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (row === null) throw collectionNotFound();
  requireSameName(access, row);
  if (row.status === 'building') throw building();
  return row;
}

/** 409: schema and indexes stand still while indexes are built. */
export function building(): PlatformError {
  return new PlatformError(
    'Conflict',
    'Indexes of this collection are being built. Try again when its status is ready.',
  );
}
