import type { Deadline } from '../../base/kernel/bounds/deadline.js';
import { authorOf } from '../../base/kernel/principal.js';
import { changeStatement, type FieldChanges, isEmpty } from '../../engine/storage/records/change.js';
import type { Selection } from '../../engine/storage/records/selection.js';
import {
  type SharedChange,
  sharedChange,
  sharedChangesStatement,
} from '../../engine/storage/records/shared-changes.js';
import { recordEvent, SharedEvents, type WriteOptions, type Written } from './record-writes.js';
import {
  type Ids,
  idSet,
  mayShare,
  SHARED_LOCK_TIMEOUT_MS,
  type SharedWrite,
  type WriteKind,
} from './shared-write.js';

/** A small update of one record that one statement can do. */
export interface SharedUpdate extends SharedWrite {
  readonly change: SharedChange;
}

export const UPDATES: WriteKind<SharedUpdate, Written> = {
  keyOf: ({ change }) => change.key,
  statement: (collection, updates) => {
    const [first] = updates as readonly [SharedUpdate];
    return updates.length === 1
      ? changeStatement(collection, first, first.change.changes, recordEvent(collection, first.description))
      : sharedChangesStatement(
          collection,
          updates.map(({ change }) => change),
          new SharedEvents(collection, updates),
          SHARED_LOCK_TIMEOUT_MS,
        );
  },
  results: (updates, values) => {
    if (updates.length === 1) {
      const [matched, updated] = values as readonly [number, number];
      return [{ matched, updated }];
    }
    const [matched, updated, free] = values as readonly [Ids, Ids, Ids?];
    const isMatched = idSet(matched);
    const isUpdated = matched === updated ? isMatched : idSet(updated);
    const isFree = free === undefined || free === matched ? isMatched : idSet(free);
    return updates.map(({ recordId }) => {
      if (free !== undefined && !isFree.has(recordId)) return undefined;
      return { matched: Number(isMatched.has(recordId)), updated: Number(isUpdated.has(recordId)) };
    });
  },
  isStaleOnlyTogether: () => false,
};

/** The update in a form that may share a statement; undefined when it needs its own. */
export function sharedUpdate(
  selection: Selection,
  changes: FieldChanges,
  { description, dryRun, expiresAt }: WriteOptions,
  until: Deadline,
): SharedUpdate | undefined {
  if (!('recordId' in selection) || selection.tag !== undefined) return undefined;
  const { columns, flexible, removed } = changes;
  const isNothing = columns.length === 0 && isEmpty(flexible) && removed.length === 0;
  if (isNothing || dryRun || expiresAt !== undefined) return undefined;
  const change = sharedChange(selection.recordId, changes, authorOf(description.call.principal));
  return mayShare(change.json) ? { recordId: change.recordId, description, until, change } : undefined;
}
