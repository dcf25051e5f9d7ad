import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import type { CollectionShape } from '../../../engine/storage/collection-shape.js';
import { seenForWrite } from '../../../engine/storage/restricted/writing.js';
import type { Access } from '../../collections/collection-access.js';
import { requireUnique } from '../../collections/collection-refusals.js';
import type { ImportRecordsQuery } from '../transfer.dto.js';

/**
 * Refuses a file with too many rows before its end. `fit` is the number of valid rows; `most` is the maximum of rows.
 */
export function refuseTooMany(
  { collection: { settings, uniques } }: Access,
  { mode, on_error }: ImportRecordsQuery,
  rows: number,
  fit: number,
  most: number,
): void {
  const { max_records } = settings;
  if (mode === 'append' && fit > max_records && (on_error === 'abort' || uniques.length === 0)) {
    throw new PlatformError(
      'CollectionFull',
      `The file has more records than max_records of the collection allows (${max_records}).`,
      { max_records },
    );
  }
  if (rows > most) throw new PlatformError('PayloadTooLarge', `An import can have at most ${most} rows.`);
}

/** Throws 400 unless the import has an upsert key exactly where its mode needs one, with a unique constraint of its own. */
export function refuseOtherKeys({ collection }: Access, { mode, upsert_key: key }: ImportRecordsQuery): void {
  if (mode === 'append') {
    if (key !== undefined) throw invalid('upsert_key: is only allowed with mode=upsert');
    return;
  }
  if (key === undefined)
    throw invalid(
      'upsert_key: is required with mode=upsert. Send a column with a unique constraint of its own.',
    );
  seenForWrite(collection).seen?.admit([key]);
  requireUnique(collection, key);
}

/** Rows were validated against the schema at the start of the import, so the schema must still be the same. */
export function refuseOtherSchema(before: CollectionShape, after: CollectionShape): void {
  if (JSON.stringify(before.columns) === JSON.stringify(after.columns)) return;
  throw new PlatformError(
    'Conflict',
    'The schema was changed during the import. Nothing was written. Send the file again.',
  );
}
