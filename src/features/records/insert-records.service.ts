import { Injectable } from '@nestjs/common';
import type { AnswerText, Call } from '../../base/kernel/call.js';
import { Clock } from '../../base/kernel/clock.js';
import { invalid } from '../../base/kernel/errors.js';
import { authorOf } from '../../base/kernel/principal.js';
import { layoutOf, withIds } from '../../engine/storage/records/record-layout.js';
import { RowRules } from '../../engine/storage/restricted/row-rules.js';
import { forInsert, refuseUnwritableFields, seenForWrite } from '../../engine/storage/restricted/writing.js';
import type { BoundCollection, Collection } from '../collections/collection.entity.js';
import { type Access } from '../collections/collection-access.js';
import { CollectionExpiry } from '../collections/collection-expiry.service.js';
import { requireUnique } from '../collections/collection-refusals.js';
import { BulkConflicts } from './bulk-conflicts.service.js';
import {
  asJson,
  expiry,
  layOutMany,
  recordList,
  refuseBulk,
  refuseInsert,
  rowsOf,
  sentNames,
} from './bulk-records.js';
import { BulkUpserts } from './bulk-upserts.service.js';
import { RecordInserts } from './record-inserts.service.js';
import { directRefusal, insertRefusal, type WriteDescription } from './record-writes.js';
import type {
  BulkInsertedView,
  BulkInsertRecordsBody,
  InsertedView,
  InsertRecordsBody,
} from './records.dto.js';
import { type PlannedWrite, WriteAttempts } from './write-attempts.js';

const MAX_INSERT = 1_000;
const MAX_BULK = 5_000;

const insertedView = (ids: string[]) => ({ inserted_count: ids.length, ids });
/** The response to an insert of one record. One function for all, so that their shared statement has the text once. */
const insertedText: AnswerText = ({ id }) => JSON.stringify(insertedView([id]));

/** Inserts records: one statement per request, with its audit event, all or nothing. */
@Injectable()
export class InsertRecords {
  constructor(
    private readonly attempts: WriteAttempts,
    private readonly recordInserts: RecordInserts,
    private readonly bulkUpserts: BulkUpserts,
    private readonly bulkConflicts: BulkConflicts,
    private readonly expiry: CollectionExpiry,
    private readonly clock: Clock,
  ) {}

  async insert(call: Call, access: Access, body: InsertRecordsBody): Promise<InsertedView> {
    const records = recordList(body.records, MAX_INSERT);
    return this.attempts.run(access, async ({ collection }) => {
      const sentFields = sentNames(collection, records);
      refuseUnwritableFields(collection, sentFields);
      const lists = await layOutMany(collection, records, refuseInsert);
      await this.expiry.mark(collection, body.ttl_days);
      const ids = withIds(lists);
      const target = forInsert(collection, sentFields, ids);
      const view = insertedView(ids);
      const description: WriteDescription = {
        call,
        type: 'collections.records.inserted',
        answer: ids.length === 1 ? insertedText : () => JSON.stringify(view),
      };
      const expiresAt = expiry(this.clock, body.ttl_days ?? collection.settings.ttl_days);
      const sent = { ...(await asJson(collection, lists)), expiresAt };
      return {
        write: async attempt => {
          await this.recordInserts.write(attempt, target, sent, description);
          return view;
        },
        refusal: error => {
          const refused = insertRefusal(error, ids);
          if (refused !== undefined) return refused;
          if (ids.length === 1) return directRefusal(error, collection);
          const code = 'AlreadyExists';
          const author = authorOf(call.principal);
          return this.bulkConflicts.refusal(error, target, () => rowsOf(collection, sent), {
            code,
            author,
          });
        },
      };
    });
  }

  async bulkInsert(call: Call, access: Access, body: BulkInsertRecordsBody): Promise<BulkInsertedView> {
    if (!Array.isArray(body.records)) throw invalid(`records: expects a list of 1 to ${MAX_BULK} records`);
    const records = recordList(body.records, MAX_BULK);
    const key = body.upsert_key;
    return this.attempts.run(access, async ({ collection }) => {
      const view: BulkInsertedView = {
        inserted: records.length,
        mode: key === undefined ? 'append' : 'upsert',
        collection_id: collection.id,
      };
      const description: WriteDescription = {
        call,
        type: `collections.records.${key === undefined ? 'inserted' : 'upserted'}`,
        answer: () => JSON.stringify(view),
      };
      if (key !== undefined) {
        seenForWrite(collection).seen?.admit([key]);
        requireUnique(collection, key);
      }
      const planned = await (key === undefined
        ? this.append(collection, records, description)
        : this.upsert(collection, records, key, description));
      return { ...planned, write: attempt => planned.write(attempt).then(() => view) };
    });
  }

  private async append(
    collection: Collection,
    records: readonly unknown[],
    description: WriteDescription,
  ): Promise<PlannedWrite<void>> {
    const sentFields = sentNames(collection, records);
    refuseUnwritableFields(collection, sentFields);
    const lists = await layOutMany(collection, records, refuseBulk);
    const ids = withIds(lists);
    const target = forInsert(collection, sentFields, ids);
    const expiresAt = expiry(this.clock, collection.settings.ttl_days);
    const sent = { ...(await asJson(collection, lists)), expiresAt };
    return {
      write: attempt => this.recordInserts.write(attempt, target, sent, description),
      refusal: error =>
        insertRefusal(error, ids) ??
        this.bulkConflicts.refusal(error, target, () => rowsOf(collection, sent), {
          author: authorOf(description.call.principal),
        }),
    };
  }

  private async upsert(
    collection: BoundCollection,
    records: readonly unknown[],
    key: string,
    description: WriteDescription,
  ): Promise<PlannedWrite<void>> {
    const { restricted } = collection;
    if (restricted !== undefined)
      new RowRules(restricted).refuseUnwritable(sentNames(collection, records).flat());
    const lists = await layOutMany(collection, records, refuseBulk);
    withIds(lists);
    const layout = layoutOf(collection);
    const rows = lists.map(list => layout.rowOf(list));
    return this.bulkUpserts.plan(collection, rows, key, description);
  }
}
