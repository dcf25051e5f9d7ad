import type { AnyCollection, Collection } from '@typed-collections/client';
import type { GridRecord } from '../../grid/window/page-slot.js';

/** Records with whole values of some fields, and their tags. Those that are gone are left out. */
export async function readWhole(
  collection: Collection<AnyCollection>,
  ids: readonly string[],
  fields: readonly string[],
): Promise<readonly GridRecord[]> {
  if (ids.length === 0) return [];
  const query = collection.find({ _id: { $in: ids } }, { fields: ['_id', ...fields], withEtags: true });
  return (await query.page({ cursor: '', limit: ids.length })).records as GridRecord[];
}

/** A name of a new record in this page. The service gives it an id. */
export function newRecordId(): string {
  return `new ${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
}
