import type { CollectionShape, Row } from '../types/index.js';
import type { Deleted } from './results.js';

/** One version of a record, and the write that made it. */
export interface RecordVersion<C extends CollectionShape> {
  readonly version: number;
  readonly valid_from: string;
  /** Null for the present version. */
  readonly valid_to: string | null;
  readonly operation: 'inserted' | 'updated' | 'upserted' | 'written' | 'deleted' | 'undone' | 'restored';
  /** Null when no audit event names the record. */
  readonly actor: { readonly type: string; readonly id: string; readonly via: string } | null;
  readonly event_id: string | null;
  readonly correlation_id: string | null;
  /** Null while the record was deleted. */
  readonly record: Row<C> | null;
  /** The fields that the write changed. */
  readonly changed: readonly string[];
}

export interface Restored {
  /** Records that got their earlier values, including records that were deleted since. */
  readonly restored: number;
  /** Records that did not exist then. */
  readonly deleted: number;
  readonly unchanged: number;
  readonly event_id: string | null;
}

export interface Erased extends Deleted {
  /** Without the present one. */
  readonly erased_versions: number;
}
