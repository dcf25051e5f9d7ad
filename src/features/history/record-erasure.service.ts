import { Injectable } from '@nestjs/common';
import type { Call } from '../../base/kernel/call.js';
import { isUuid, newId } from '../../base/kernel/id.js';
import { eraseChanges } from '../../engine/storage/changes/erase-changes.js';
import { eraseStatement, eraseVersions, lockHistory } from '../../engine/storage/history/erase.js';
import { RecordTransactions } from '../../engine/storage/record-transactions.js';
import type { RecordTransaction } from '../../engine/storage/table-access.js';
import { AuditLog } from '../../platform/audit/audit-log.js';
import type { TagCondition } from '../../platform/http/entity-tags.js';
import { eraseFromMessages } from '../changes/webhooks/webhook-outbox.js';
import type { Collection } from '../collections/collection.entity.js';
import type { Access } from '../collections/collection-access.js';
import { collectionEvent } from '../collections/collection-event.js';
import { QueryRecords, recordNotFound } from '../records/query/query-records.service.js';
import { directRefusal } from '../records/record-writes.js';
import { WriteAttempts } from '../records/write-attempts.js';
import type { ErasedRecordView } from './history.dto.js';

/** The record to erase. */
interface Target {
  readonly recordId: string;
  /** What the entity tag of the record must satisfy; undefined for nothing. */
  readonly tag: TagCondition | undefined;
}

/** Removes a record and everything that the service has kept of it, except for its id in the audit log. */
@Injectable()
export class RecordErasure {
  constructor(
    private readonly transactions: RecordTransactions,
    private readonly attempts: WriteAttempts,
    private readonly queryRecords: QueryRecords,
    private readonly audit: AuditLog,
  ) {}

  /**
   * The caller must have the right `manage`. Throws 404 when nothing is known of the record, and 412 unless the record
   * has one of the tags.
   */
  async erase(call: Call, access: Access, { recordId, tag }: Target): Promise<ErasedRecordView> {
    if (!isUuid(recordId)) throw recordNotFound();
    const target = { recordId: recordId.toLowerCase(), tag };
    const erased = await this.attempts.run(access, ({ collection }) => ({
      write: ({ until }) =>
        this.transactions.run(collection, transaction => this.within(transaction, call, collection, target), {
          until,
          rights: call.rights,
        }),
      refusal: error => directRefusal(error, collection),
    }));
    return erased ?? this.queryRecords.refuseMissing(access, recordId, tag, { action: 'delete', names: [] });
  }

  /** Undefined, and nothing written, when there is nothing to erase. */
  private async within(
    transaction: RecordTransaction,
    call: Call,
    collection: Collection,
    { recordId, tag }: Target,
  ): Promise<ErasedRecordView | undefined> {
    const id = newId();
    await lockHistory(transaction, collection);
    const statement = eraseStatement(collection, recordId, tag, id);
    const [deleted = 0, alive = 0] = await this.transactions.write(transaction, statement);
    if (tag !== undefined && alive === 0) return undefined;
    const kept = await this.eraseKept(transaction, collection, recordId, id);
    if (deleted === 0 && !kept.isKnown) return undefined;
    const event = collectionEvent('collections.records.erased', collection, {
      id,
      count: 1,
      recordIds: [recordId],
    });
    await this.audit.record(transaction, call, collection.orgId, event);
    return { deleted_count: alive, erased_versions: kept.versions };
  }

  /** Removes what triggers and webhooks have kept of the record. The deletion itself has made a version and a change. */
  private async eraseKept(
    transaction: RecordTransaction,
    collection: Collection,
    recordId: string,
    eventId: string,
  ): Promise<{ isKnown: boolean; versions: number }> {
    const { known, erased } = await this.transactions.onServer(transaction, server =>
      eraseVersions(server, collection, recordId, eventId),
    );
    if (!this.transactions.keepsChanges) return { isKnown: known > 0, versions: erased };
    const changes = await eraseChanges(transaction, collection, recordId);
    const messages = await eraseFromMessages(transaction, collection.id, recordId);
    return { isKnown: known + changes + messages > 0, versions: erased };
  }
}
