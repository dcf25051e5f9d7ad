import type { AuditEvent } from '../../activity/queries.js';
import type { CollectionInfo } from '../../collection-query.js';
import type { RecordVersion } from '../timeline/queries.js';

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

/** True if somebody may undo the write of a version: administrators those of everybody, editors their own. */
export function mayUndoVersion(
  { event_id, actor }: Pick<RecordVersion, 'event_id' | 'actor'>,
  { my_rights, settings }: Pick<CollectionInfo, 'my_rights' | 'settings'>,
  userId: string | undefined,
): boolean {
  if (event_id === null || settings.history_days === 0) return false;
  return my_rights.includes('manage') || (my_rights.includes('write') && actor?.id === userId);
}
