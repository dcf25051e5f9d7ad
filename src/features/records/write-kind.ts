import type { Deadline } from '../../base/kernel/bounds/deadline.js';
import type { Statement } from '../../engine/storage/statement.js';
import type { Collection } from '../collections/collection.entity.js';
import type { RecordAct } from './record-writes.js';

/** Lock timeout of a batch. Another transaction may be writing a record that only one write of the batch needs. */
export const BATCH_LOCK_TIMEOUT_MS = 500;
/** Writes with more characters of JSON do not share a statement. */
const SMALL = 8_192;

/** A small write of one record. */
export interface OneWrite {
  readonly recordId: string;
  readonly act: RecordAct;
  /** The request stops retrying the write at this time. */
  readonly until: Deadline;
}

/** A kind of writes that can share a statement. */
export interface WriteKind<Write extends OneWrite, Result> {
  /** Writes share a statement only if they have the same key. */
  keyOf(write: Write): unknown;
  /** Writes all records or none, with an audit event for each. The records are different. */
  statement(collection: Collection, writes: readonly Write[]): Statement;
  /**
   * The result of each write, from the values that `RecordStore.write` returns. Undefined for a write that the statement
   * has left out because another record or request is in its way: it is written alone.
   */
  results(writes: readonly Write[], values: readonly unknown[]): readonly (Result | undefined)[];
  /** True when the version check of a batch may fail although that of the write alone holds. */
  isStaleOnlyTogether(write: Write): boolean;
}

/** True when a write may share a statement. */
export function mayShare(json: string): boolean {
  return json.length <= SMALL;
}

/** Ids that PostgreSQL returns separated by commas; null for none. */
export type Ids = string | null;

export function idSet(ids: Ids | undefined): ReadonlySet<string> {
  return new Set(ids?.split(','));
}
