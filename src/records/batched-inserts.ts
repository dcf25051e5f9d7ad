import type { Collection } from '../collections/collection.entity.js';
import type { Quota } from '../storage/quota/quota.js';
import { insertStatement } from '../storage/records/insert.js';
import type { RowList } from '../storage/records/record-layout.js';
import type { Statement } from '../storage/statement.js';
import { listsInOrder } from './record-batch.js';
import { BatchEvents } from './record-writes.js';
import { BATCH_LOCK_TIMEOUT_MS, type OneWrite, type WriteKind } from './write-kind.js';

/** An insert of one small record that never expires. */
export interface OneInsert extends OneWrite {
  readonly list: RowList;
  /** The list as JSON. */
  readonly json: string;
  /** How this insert respects `max_records`. */
  readonly quota: Quota;
}

export const INSERTS: WriteKind<OneInsert, void> = {
  keyOf: ({ quota }) => quota.generation,
  statement: statementOf,
  results: inserts => inserts.map(() => undefined),
  // Without a lease, the quota may be too small for the whole batch, but suffice for some of its inserts.
  isStaleOnlyTogether: ({ quota }) => quota.generation === undefined,
};

/** Sorts the records by their keys, so that two batches cannot deadlock. */
function statementOf(collection: Collection, inserts: readonly OneInsert[]): Statement {
  const [{ quota }] = inserts as readonly [OneInsert];
  const ofAll = quota.generation === undefined ? { ...quota, records: inserts.length } : quota;
  const texts = new Map(inserts.map(({ list, json }) => [list, json]));
  const lists = listsInOrder(collection, [...texts.keys()]);
  const json = `[${lists.map(list => texts.get(list)).join()}]`;
  const lockTimeoutMs = inserts.length > 1 ? BATCH_LOCK_TIMEOUT_MS : undefined;
  return insertStatement(
    collection,
    { json, expiresAt: null, lockTimeoutMs },
    ofAll,
    new BatchEvents(collection, inserts),
  );
}
