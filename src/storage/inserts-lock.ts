import type { CollectionShape } from './collection-shape.js';
import type { Statement } from './statement.js';

/**
 * Waits until nobody inserts into the collection, and lets nobody begin until the transaction ends: every insert holds
 * this lock shared (`slots_hold`). Whoever has slots to take does so before: that may have to wait for this.
 */
export function insertsLockStatement({ id }: CollectionShape): Statement {
  return { text: 'SELECT pg_advisory_xact_lock(hashtextextended($1::uuid::text, 1))', values: [id] };
}
