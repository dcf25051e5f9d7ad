import type { AnyCollection, Collection } from '@typed-collections/client';
import type { GridRecord } from '../../window/page-slot.js';
import type { Conflict } from './batch.js';
import type { StagedRows } from './staged-edits.js';

/** Records with whole values of some fields, and their tags. Those that are gone are left out. */
export async function readWhole(
  collection: Collection<AnyCollection>,
  ids: readonly string[],
  fields: readonly string[],
  asOf?: string,
): Promise<readonly GridRecord[]> {
  if (ids.length === 0) return [];
  const options = { fields: ['_id', ...fields], withEtags: true, asOf };
  // A page ends before the service sends more than it may at once: all of them are read.
  return (await collection.find({ _id: { $in: ids } }, options).toArray(ids.length)) as GridRecord[];
}

/** A name of a new record in this page. The service gives it an id. */
export function newRecordId(): string {
  return `new ${crypto.getRandomValues(new Uint32Array(2)).join('-')}`;
}

/** The records of these changes as they are now. */
export async function conflictsOf(
  collection: Collection<AnyCollection>,
  rows: StagedRows,
  ids: readonly string[],
): Promise<readonly Conflict[]> {
  const fields = [...new Set(ids.flatMap(id => Object.keys(rows.get(id)?.fields ?? {})))];
  const records = await readWhole(collection, ids, fields);
  const known = new Map(records.map(record => [record._id, record]));
  return ids.flatMap(id => {
    const row = rows.get(id);
    return row === undefined ? [] : [{ row, theirs: known.get(id) }];
  });
}
