import { Injectable } from '@nestjs/common';
import type { AuditEntry } from '../audit/audit-event.js';
import { eventCte } from '../audit/event-cte.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import type { Call } from '../kernel/call.js';
import { Clock } from '../kernel/clock.js';
import { invalid } from '../kernel/errors.js';
import { isUuid } from '../kernel/id.js';
import { deleteStatement, setFieldsStatement } from '../storage/change.js';
import { insertStatement } from '../storage/insert.js';
import { RecordSlots } from '../storage/record-slots.js';
import { RecordStore } from '../storage/record-store.js';
import type { EventSql } from '../storage/statement.js';
import { BatchConflicts } from './batch-conflicts.service.js';
import { BulkUpserts } from './bulk-upserts.service.js';
import { ExpiredRecords } from './expired-records.service.js';
import { expiry, layOut, recordList, refuseBulk, refuseInsert, withIds } from './record-batch.js';
import { refusal } from './record-errors.js';
import { layoutOf, type Row } from './record-layout.js';
import { recordNotFound } from './record-reader.service.js';
import type {
  BulkInsertedView,
  BulkInsertRecordsBody,
  DeletedRecordView,
  InsertedView,
  InsertRecordsBody,
  UpdatedView,
} from './records.dto.js';
import { fieldsToSet } from './update-body.js';

const MAX_INSERT = 1_000;
const MAX_BULK = 5_000;

/** Writes records: one statement each, with its audit event, all or nothing. */
@Injectable()
export class RecordWriter {
  constructor(
    private readonly accesses: CollectionAccess,
    private readonly store: RecordStore,
    private readonly slots: RecordSlots,
    private readonly expired: ExpiredRecords,
    private readonly upserts: BulkUpserts,
    private readonly conflicts: BatchConflicts,
    private readonly clock: Clock,
  ) {}

  async insert(call: Call, access: Access, body: InsertRecordsBody): Promise<InsertedView> {
    const records = recordList(body.records, MAX_INSERT);
    const ids = await this.accesses.fenced(access, async current => {
      const rows = layOut(current.collection, records, refuseInsert);
      const ids = withIds(rows);
      const event = recordEvent(call, current, 'collections.records.inserted');
      const counts = await this.append(current, rows, body.ttl_days, event).catch(error => {
        throw refusal(error, current.collection);
      });
      return counts && ids;
    });
    return { inserted_count: ids.length, ids };
  }

  async bulkInsert(call: Call, access: Access, body: BulkInsertRecordsBody): Promise<BulkInsertedView> {
    if (!Array.isArray(body.records)) throw invalid(`records: expects a list of 1 to ${MAX_BULK} records`);
    const records = recordList(body.records, MAX_BULK);
    const key = body.upsert_key;
    await this.accesses.fenced(access, async current => {
      if (key !== undefined) refuseOtherKeys(current, key);
      const rows = layOut(current.collection, records, refuseBulk);
      withIds(rows);
      const event = recordEvent(
        call,
        current,
        `collections.records.${key === undefined ? 'inserted' : 'upserted'}`,
      );
      const written =
        key === undefined
          ? this.append(current, rows, undefined, event)
          : this.upserts.run(current, rows, key, event);
      return written.catch(async error => {
        throw await this.conflicts.refusal(error, current.collection, rows);
      });
    });
    return {
      inserted: records.length,
      mode: key === undefined ? 'append' : 'upsert',
      collection_id: access.collection.id,
    };
  }

  async update(call: Call, access: Access, recordId: string, body: unknown): Promise<UpdatedView> {
    const fields = fieldsToSet(body);
    if (!isUuid(recordId)) throw recordNotFound();
    const [matched = 0, updated = 0] = await this.accesses.fenced(access, async current => {
      const assignments = layoutOf(current.collection).split(fields);
      const event = recordEvent(call, current, 'collections.records.updated');
      const statement = setFieldsStatement(current.collection, recordId, assignments, event);
      return this.expired
        .outOfTheWay(current.collection, () => this.store.write(statement))
        .catch(error => {
          throw refusal(error, current.collection);
        });
    });
    if (matched === 0) throw recordNotFound();
    return { matched_count: matched, updated_count: updated };
  }

  async delete(call: Call, access: Access, recordId: string): Promise<DeletedRecordView> {
    if (!isUuid(recordId)) throw recordNotFound();
    const [deleted = 0] = await this.accesses.fenced(access, current =>
      this.store.write(
        deleteStatement(
          current.collection,
          recordId,
          recordEvent(call, current, 'collections.records.deleted'),
        ),
      ),
    );
    if (deleted === 0) throw recordNotFound();
    return { deleted_count: deleted };
  }

  /** Runs the insert within `max_records`. Undefined when the collection or its slots have changed. */
  private async append(access: Access, rows: readonly Row[], ttlDays: number | undefined, event: EventSql) {
    const { collection } = access;
    const { max_records, ttl_days } = collection.settings;
    const batch = { json: JSON.stringify(rows), expiresAt: expiry(this.clock, ttlDays ?? ttl_days) };
    const epoch = await this.slots.take(collection, max_records, rows.length);
    if (epoch === undefined) return undefined;
    try {
      const counts = await this.expired.outOfTheWay(collection, () =>
        this.store.write(insertStatement(collection, batch, epoch, event)),
      );
      if (counts === undefined) this.slots.forget(collection, epoch);
      return counts;
    } catch (error) {
      this.slots.giveBack(collection, epoch, rows.length);
      throw error;
    }
  }
}

/** The event of a write to records of a collection; count and ids are filled in by the statement. */
function recordEvent(call: Call, { collection }: Access, type: AuditEntry['type']): EventSql {
  const target = { type: 'collection', id: collection.id, name: collection.name };
  return (written, add) => eventCte(call, collection.orgId, { type, target }, written, add);
}

function refuseOtherKeys({ collection }: Access, key: string): void {
  const isUnique = collection.uniques.some(
    ({ properties }) => properties.length === 1 && properties[0] === key,
  );
  if (!isUnique) throw invalid(`upsert_key: ${JSON.stringify(key)} is no column with a unique of its own`);
}
