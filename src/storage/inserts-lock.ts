import { lockKey } from '../database/advisory-locks.js';
import { param, type Sql, sql } from '../sql/index.js';
import type { CollectionShape } from './collection-shape.js';

/**
 * Waits until no insert into the collection is in flight, and lets none begin until the transaction ends: every insert holds
 * this lock shared (`quota_holds`, `quota_has_room`).
 */
export function insertsLockStatement({ id }: CollectionShape): Sql {
  return sql`SELECT pg_advisory_xact_lock(${lockKey('inserts', sql`${param(id, 'uuid')}::text`)})`;
}
