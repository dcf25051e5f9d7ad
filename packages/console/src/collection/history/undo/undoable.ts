import type { AuditEvent } from '../../activity/queries.js';

/** Types of events whose writes can be undone. What expired or was erased is gone. */
const UNDOABLE = new Set(
  ['inserted', 'updated', 'upserted', 'deleted', 'written', 'imported', 'undone', 'restored'].map(
    what => `collections.records.${what}`,
  ),
);

/** True if the writes of an event may be undone: it wrote records, and the collection keeps what writes replace. */
export function isUndoable(
  { type, count }: Pick<AuditEvent, 'type' | 'count'>,
  historyDays: number,
): boolean {
  return historyDays > 0 && UNDOABLE.has(type) && (count ?? 0) > 0;
}
