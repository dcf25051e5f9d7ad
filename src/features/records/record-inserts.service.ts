import { Injectable } from '@nestjs/common';
import { authorOf } from '../../base/kernel/principal.js';
import type { Quota } from '../../engine/storage/quota/quota.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { insertStatement, sharedInsertsStatement } from '../../engine/storage/records/insert.js';
import { idOf, type RowList, withAuthor } from '../../engine/storage/records/record-layout.js';
import type { Statement } from '../../engine/storage/statement.js';
import type { Collection } from '../collections/collection.entity.js';
import { type ListsAsJson, listsInOrder } from './bulk-records.js';
import { recordEvent, SharedEvents, type WriteDescription } from './record-writes.js';
import {
  type Ids,
  idSet,
  mayShare,
  SHARED_LOCK_TIMEOUT_MS,
  type SharedWrite,
  type WriteKind,
} from './shared-write.js';
import { SharedWrites } from './shared-writes.service.js';
import type { WriteAttempt } from './write-attempts.js';

/** Records to insert, with the time at which they expire; null means never. */
export interface Inserted extends ListsAsJson {
  readonly expiresAt: Date | null;
}

/** Inserts records within `max_records`. A small record that never expires may share a statement with others. */
@Injectable()
export class RecordInserts {
  constructor(
    private readonly store: RecordStore,
    private readonly sharedWrites: SharedWrites,
  ) {}

  /** Rejects with the database's error. `collection`: as `forInsert` returns it. */
  async write(
    attempt: WriteAttempt,
    collection: Collection,
    records: Inserted,
    description: WriteDescription,
  ): Promise<void> {
    const { until, isAlone } = attempt;
    const { json, count, only, expiresAt } = records;
    const quota = await attempt.quota(count);
    if (only !== undefined && expiresAt === null && mayShare(json)) {
      const insert = { recordId: idOf(only), list: only, json: json.slice(1, -1), quota, description, until };
      await this.sharedWrites.write(collection, INSERTS, insert, isAlone);
      return;
    }
    const statement = insertOf(collection, records, quota, description);
    await this.store.write(collection, statement, { until, rights: description.call.rights });
  }
}

/** Built for each attempt, because audit events are ordered by the time at which they happened. */
export function insertOf(
  collection: Collection,
  { json, count, only, expiresAt }: Inserted,
  quota: Quota,
  description: WriteDescription,
): Statement {
  const event = recordEvent(collection, description, count, only && idOf(only));
  return insertStatement(collection, { json, expiresAt }, quota, event);
}

/** An insert of one small record that never expires. */
interface SharedInsert extends SharedWrite {
  readonly list: RowList;
  /** The list as JSON. */
  readonly json: string;
  /** How this insert respects `max_records`. */
  readonly quota: Quota;
}

export const INSERTS: WriteKind<SharedInsert, true> = {
  keyOf: ({ quota }) => quota.generation,
  statement: (collection, inserts) => {
    const [first] = inserts as readonly [SharedInsert];
    if (inserts.length > 1) return statementOfMany(collection, inserts);
    const { list, json, quota, description } = first;
    return insertOf(
      collection,
      { json: `[${json}]`, count: 1, only: list, expiresAt: null },
      quota,
      description,
    );
  },
  results: (inserts, values) => {
    if (inserts.length === 1) return [true];
    const isInserted = idSet(values[0] as Ids);
    return inserts.map(({ recordId }) => (isInserted.has(recordId) ? true : undefined));
  },
  // Without a lease, the quota may be too small for the whole group, but suffice for some of its inserts.
  isStaleOnlyTogether: ({ quota }) => quota.generation === undefined,
};

/** Sorts the records by their keys, so that two statements cannot deadlock. */
function statementOfMany(collection: Collection, inserts: readonly SharedInsert[]): Statement {
  const [{ quota }] = inserts as readonly [SharedInsert];
  const ofAll = quota.generation === undefined ? { ...quota, records: inserts.length } : quota;
  const texts = new Map(
    inserts.map(({ list, json, description }) => [
      list,
      withAuthor(json, authorOf(description.call.principal)),
    ]),
  );
  const lists = listsInOrder(collection, [...texts.keys()]);
  const json = `[${lists.map(list => texts.get(list)).join()}]`;
  const rows = { json, lockTimeoutMs: SHARED_LOCK_TIMEOUT_MS };
  return sharedInsertsStatement(collection, rows, ofAll, new SharedEvents(collection, inserts));
}
