import { invalid } from '../../base/kernel/errors.js';
import type { JsonObject } from '../../base/kernel/json.js';
import { MAX_RECORD_BYTES } from '../../base/kernel/limits.js';
import type { LockedRecord } from '../../engine/storage/records/rewrite.js';
import type { Collection } from '../collections/collection.entity.js';

/** The user's fields. A null column counts as absent for operators, because the column may never have been written. */
export function documentOf({ text }: LockedRecord, { columns }: Collection): JsonObject {
  const { _id, created_at, updated_at, ...fields } = JSON.parse(text) as JsonObject;
  const present = Object.entries(fields).filter(
    ([name, value]) => value !== null || !Object.hasOwn(columns, name),
  );
  return Object.fromEntries(present);
}

/** `estimate`: an upper bound of the record's length in characters. A character has at most four bytes. */
export function refuseOversize(document: JsonObject, estimate: number): void {
  if (estimate * 4 <= MAX_RECORD_BYTES) return;
  if (Buffer.byteLength(JSON.stringify(document)) > MAX_RECORD_BYTES)
    throw invalid('the record would be larger than 16 MiB');
}
