import type { CollectionShape } from './columns.js';
import type { Row } from './row.js';

/** What happened to a record. */
export interface Change<C extends CollectionShape> {
  /** The position of this change in the feed. */
  readonly id: string;
  readonly type: 'inserted' | 'updated' | 'deleted' | 'expired';
  readonly record_id: string;
  readonly changed_at: string;
  /** The record after the change; of a deleted or expired one, as it was last. */
  readonly record: Row<C>;
}

/**
 * A record that no longer matches the filter of the feed, or that the access of the caller no longer includes. Only with
 * `left: true`.
 */
export interface LeftRecord {
  /** The position of this change in the feed. */
  readonly id: string;
  readonly type: 'left';
  readonly record_id: string;
  readonly changed_at: string;
}
