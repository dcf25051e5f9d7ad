import { changeStatement, type FieldChanges, isEmpty } from '../../engine/storage/records/change.js';
import {
  type RecordChange,
  recordChange,
  recordChangesStatement,
} from '../../engine/storage/records/record-changes.js';
import type { Selection } from '../../engine/storage/records/selection.js';
import { BatchEvents, recordEvent, type Write, type Written } from './record-writes.js';
import {
  BATCH_LOCK_TIMEOUT_MS,
  type Ids,
  idSet,
  mayShare,
  type OneWrite,
  type WriteKind,
} from './write-kind.js';

/** A small update of one record that one statement can do. */
export interface OneUpdate extends OneWrite {
  readonly change: RecordChange;
}

export const UPDATES: WriteKind<OneUpdate, Written> = {
  keyOf: ({ change }) => change.key,
  statement: (collection, updates) => {
    const [first] = updates as readonly [OneUpdate];
    return updates.length === 1
      ? changeStatement(collection, first, first.change.changes, recordEvent(collection, first.act))
      : recordChangesStatement(
          collection,
          updates.map(({ change }) => change),
          new BatchEvents(collection, updates),
          BATCH_LOCK_TIMEOUT_MS,
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
  { act, until, dryRun, expiresAt }: Write,
): OneUpdate | undefined {
  if (!('recordId' in selection) || selection.tag !== undefined) return undefined;
  const { columns, flexible, removed } = changes;
  const isNothing = columns.length === 0 && isEmpty(flexible) && removed.length === 0;
  if (isNothing || dryRun || expiresAt !== undefined) return undefined;
  const change = recordChange(selection.recordId, changes);
  return mayShare(change.json) ? { recordId: change.recordId, act, until, change } : undefined;
}
