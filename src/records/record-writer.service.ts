import { Injectable } from '@nestjs/common';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { CollectionExpiry } from '../collections/collection-expiry.service.js';
import type { Call } from '../kernel/call.js';
import { invalid } from '../kernel/errors.js';
import { shortened } from '../kernel/text.js';
import { BatchConflicts } from './batch-conflicts.service.js';
import { BulkUpserts } from './bulk-upserts.service.js';
import { layOutMany, recordList, refuseBulk, refuseInsert, withIds } from './record-batch.js';
import { directRefusal } from './record-errors.js';
import { type RecordAct, recordEvent } from './record-event.js';
import { RecordInserts } from './record-inserts.service.js';
import type {
  BulkInsertedView,
  BulkInsertRecordsBody,
  InsertedView,
  InsertRecordsBody,
} from './records.dto.js';

const MAX_INSERT = 1_000;
const MAX_BULK = 5_000;

/** Adds records: one statement a request, with its audit event, all or nothing. */
@Injectable()
export class RecordWriter {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly inserts: RecordInserts,
    private readonly upserts: BulkUpserts,
    private readonly conflicts: BatchConflicts,
    private readonly expiry: CollectionExpiry,
  ) {}

  async insert(call: Call, access: Access, body: InsertRecordsBody): Promise<InsertedView> {
    const records = recordList(body.records, MAX_INSERT);
    return this.accesses.fenced(access, async (current, until) => {
      const laidOut = layOutMany(current.collection, records, refuseInsert);
      const rows = laidOut instanceof Promise ? await laidOut : laidOut;
      if (!(await this.expiry.isMarked(current.collection, body.ttl_days))) return undefined;
      const ids = withIds(rows);
      const view = { inserted_count: ids.length, ids };
      const act: RecordAct = {
        call,
        type: 'collections.records.inserted',
        answer: () => JSON.stringify(view),
      };
      const done = await this.inserts
        .append(current.collection, rows, body.ttl_days, act, until)
        .catch(error => {
          throw directRefusal(error, current.collection);
        });
      return done && view;
    });
  }

  async bulkInsert(call: Call, access: Access, body: BulkInsertRecordsBody): Promise<BulkInsertedView> {
    if (!Array.isArray(body.records)) throw invalid(`records: expects a list of 1 to ${MAX_BULK} records`);
    const records = recordList(body.records, MAX_BULK);
    const key = body.upsert_key;
    return this.accesses.fenced(access, async (current, until) => {
      const view: BulkInsertedView = {
        inserted: records.length,
        mode: key === undefined ? 'append' : 'upsert',
        collection_id: current.collection.id,
      };
      if (key !== undefined) refuseOtherKeys(current, key);
      const rows = await layOutMany(current.collection, records, refuseBulk);
      withIds(rows);
      const act: RecordAct = {
        call,
        type: `collections.records.${key === undefined ? 'inserted' : 'upserted'}`,
        answer: () => JSON.stringify(view),
      };
      const written =
        key === undefined
          ? this.inserts.append(current.collection, rows, undefined, act, until)
          : this.upserts.run(current, rows, key, recordEvent(current.collection, act), {
              until,
              rights: call.rights,
            });
      const done = await written.catch(async error => {
        throw await this.conflicts.refusal(error, current.collection, rows);
      });
      return done && view;
    });
  }
}

function refuseOtherKeys({ collection }: Access, key: string): void {
  const isUnique = collection.uniques.some(
    ({ properties }) => properties.length === 1 && properties[0] === key,
  );
  if (!isUnique)
    throw invalid(`upsert_key: ${JSON.stringify(shortened(key))} is no column with a unique of its own`);
}
