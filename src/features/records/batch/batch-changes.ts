import { Slices } from '../../../base/kernel/bounds/slices.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { applyUpdate, isSame } from '../../../engine/filter/update/index.js';
import type { LockedBatchRow } from '../../../engine/storage/records/batch.js';
import { layoutOf, type Misfit } from '../../../engine/storage/records/record-layout.js';
import { type LockedRecord, lockedStatement } from '../../../engine/storage/records/rewrite.js';
import type { RecordTransaction } from '../../../engine/storage/table-access.js';
import { execute } from '../../../platform/database/queryable.js';
import type { Collection } from '../../collections/collection.entity.js';
import { documentOf, refuseOversize } from '../record-document.js';
import { changeTo, misfitOf, type PlannedChange, type PlannedUpdate, refuseMisfits } from './batch-plan.js';

/** Maximum length of all records of a batch whose updates depend on them: they are in memory at once. */
const MAX_READ = 32 * 1024 * 1024;
/** Each of these records is in memory four times: as text and as document, before and after the update. */
const COPIES = 4;
/** Bytes that an attempt reserves before it reads long records. */
export const MEMORY_OF_READS = MAX_READ * COPIES;

/** How the changes of a batch are computed. */
interface Reading {
  readonly transaction: RecordTransaction;
  readonly now: Date;
  /** Reads every record that is updated, so that the size of each result is known exactly. */
  readonly exact: boolean;
}

/** True when the change of a record is computed from the record. */
export function isRead({ change, roots }: PlannedUpdate, exact: boolean): boolean {
  return change === undefined || (exact && roots.length > 0);
}

/**
 * The changes of the records that may change. Calls `hold` once before it reads records that are too long to be read
 * with the lock. Throws 413, and 422 `BatchRejected` for operators that do not fit their record.
 */
export async function changesOf(
  collection: Collection,
  updates: readonly PlannedUpdate[],
  locked: ReadonlyMap<string, LockedBatchRow>,
  reading: Reading,
  hold: () => Promise<void>,
): Promise<ReadonlyMap<PlannedUpdate, PlannedChange>> {
  const changes = new Map<PlannedUpdate, PlannedChange>();
  const misfits: Misfit[] = [];
  const slices = new Slices();
  let isHeld = false;
  let length = 0;
  for (const planned of updates) {
    if (!isRead(planned, reading.exact)) {
      if (planned.roots.length > 0) changes.set(planned, planned.change as PlannedChange);
      continue;
    }
    const { text } = locked.get(planned.id) as LockedBatchRow;
    if (text === null && !isHeld) {
      isHeld = true;
      await hold();
    }
    const record = await recordOf(collection, planned, text, reading.transaction);
    length += record.text.length;
    if (length > MAX_READ) throw tooLong();
    try {
      const change = changeOf(collection, planned, record, reading.now);
      if (change !== undefined) changes.set(planned, change);
    } catch (error) {
      misfits.push(misfitOf(error, planned.index, planned.roots[0] as string));
    }
    await slices.pause();
  }
  if (misfits.length > 0) throw refuseMisfits(misfits);
  return changes;
}

async function recordOf(
  collection: Collection,
  { id, update }: PlannedUpdate,
  text: string | null,
  transaction: RecordTransaction,
): Promise<LockedRecord> {
  const pulls = update.operations.some(({ kind }) => kind === 'pull');
  if (text !== null && !pulls) return { id, text, pulled: null };
  const [record]: [LockedRecord] = await execute(transaction, lockedStatement(collection, update, id));
  return record;
}

/** Undefined when the update changes nothing of the record. */
function changeOf(
  collection: Collection,
  { update, roots }: PlannedUpdate,
  record: LockedRecord,
  now: Date,
): PlannedChange | undefined {
  const before = documentOf(record, collection);
  const after = applyUpdate(before, update, { now, pulled: record.pulled ?? [] });
  if (roots.every(root => isSame(before[root], after[root]))) return undefined;
  const change = changeTo(after, roots, layoutOf(collection));
  refuseOversize(after, JSON.stringify(change).length + record.text.length);
  return change;
}

function tooLong(): PlatformError {
  return new PlatformError(
    'PayloadTooLarge',
    'The records whose updates depend on their present values are longer than 32 MiB together. Send fewer operations at once.',
  );
}
