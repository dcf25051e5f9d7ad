import type { Quota } from '../../engine/storage/quota/quota.js';
import { insertStatement, sharedInsertsStatement } from '../../engine/storage/records/insert.js';
import type { RowList } from '../../engine/storage/records/record-layout.js';
import type { Statement } from '../../engine/storage/statement.js';
import type { Collection } from '../collections/collection.entity.js';
import { listsInOrder } from './record-batch.js';
import { BatchEvents, recordEvent } from './record-writes.js';
import { BATCH_LOCK_TIMEOUT_MS, type Ids, idSet, type OneWrite, type WriteKind } from './write-kind.js';

/** An insert of one small record that never expires. */
export interface OneInsert extends OneWrite {
  readonly list: RowList;
  /** The list as JSON. */
  readonly json: string;
  /** How this insert respects `max_records`. */
  readonly quota: Quota;
}

export const INSERTS: WriteKind<OneInsert, true> = {
  keyOf: ({ quota }) => quota.generation,
  statement: (collection, inserts) =>
    inserts.length === 1
      ? statementOfOne(collection, inserts[0] as OneInsert)
      : statementOfMany(collection, inserts),
  results: (inserts, values) => {
    if (inserts.length === 1) return [true];
    const isInserted = idSet(values[0] as Ids);
    return inserts.map(({ recordId }) => (isInserted.has(recordId) ? true : undefined));
  },
  // Without a lease, the quota may be too small for the whole batch, but suffice for some of its inserts.
  isStaleOnlyTogether: ({ quota }) => quota.generation === undefined,
};

function statementOfOne(collection: Collection, { recordId, json, quota, act }: OneInsert): Statement {
  return insertStatement(
    collection,
    { json: `[${json}]`, expiresAt: null },
    quota,
    recordEvent(collection, act, 1, recordId),
  );
}

/** Sorts the records by their keys, so that two batches cannot deadlock. */
function statementOfMany(collection: Collection, inserts: readonly OneInsert[]): Statement {
  const [{ quota }] = inserts as readonly [OneInsert];
  const ofAll = quota.generation === undefined ? { ...quota, records: inserts.length } : quota;
  const texts = new Map(inserts.map(({ list, json }) => [list, json]));
  const lists = listsInOrder(collection, [...texts.keys()]);
  const json = `[${lists.map(list => texts.get(list)).join()}]`;
  const batch = { json, lockTimeoutMs: BATCH_LOCK_TIMEOUT_MS };
  return sharedInsertsStatement(collection, batch, ofAll, new BatchEvents(collection, inserts));
}
