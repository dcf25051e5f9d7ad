import type { EntityManager } from 'typeorm';
import { PlatformError } from '../../kernel/errors.js';
import { Collection } from '../collection.entity.js';
import { collectionNotFound } from '../collection-access.js';

/** The row, locked until the transaction ends. Throws 404 when it went away, 409 while its indexes are being built. */
export async function lockSettled(manager: EntityManager, id: string): Promise<Collection> {
  const row = await manager.findOne(Collection, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (row === null) throw collectionNotFound();
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
