import type { CollectionInfo } from '../../../api/collection-query.js';
import type { AuditEvent } from '../../../values/events.js';
import type { RecordVersion } from '../timeline/differences.js';

/** Types of events whose writes can be undone. What expired or was erased is gone. */
const UNDOABLE = new Set(
  ['inserted', 'updated', 'upserted', 'deleted', 'written', 'undone', 'restored'].map(
    what => `collections.records.${what}`,
  ),
);

/** An undo of more records is refused. */
const MOST_UNDONE = 100_000;

/** How long a collection keeps what writes replace. */
interface Kept {
  readonly settings: Pick<CollectionInfo['settings'], 'history_days'>;
}

/** True if a write of so many records can be undone. */
export function canUndo(records: number, { settings }: Kept): boolean {
  return settings.history_days > 0 && records > 0 && records <= MOST_UNDONE;
}

/** True if the writes of an event may be undone. */
export function isUndoable({ type, count }: Pick<AuditEvent, 'type' | 'count'>, kept: Kept): boolean {
  return UNDOABLE.has(type) && canUndo(count ?? 0, kept);
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
