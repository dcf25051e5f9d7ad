import type { CollectionShape } from './collection-shape.js';
import type { Statement } from './statement.js';

/**
 * Waits until no insert into the collection is in flight, and lets none begin until the transaction ends: every insert holds
 * this lock shared (`quota_holds`, `quota_has_room`).
 */
export function insertsLockStatement({ id }: CollectionShape): Statement {
  return { text: 'SELECT pg_advisory_xact_lock(hashtextextended($1::uuid::text, 1))', values: [id] };
}
