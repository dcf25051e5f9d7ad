import { Injectable } from '@nestjs/common';
import type { AnswerText, Call } from '../../base/kernel/call.js';
import { invalid } from '../../base/kernel/errors.js';
import { isUuid } from '../../base/kernel/id.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { type Deletable, deletableStatement, deleteStatement } from '../../engine/storage/records/delete.js';
import type { Selection } from '../../engine/storage/records/selection.js';
import { forDelete, targetsOf } from '../../engine/storage/restricted/writing.js';
import type { TagCondition } from '../../platform/http/entity-tags.js';
import type { Access } from '../collections/collection-access.js';
import { requireRight } from '../collections/collection-rights.js';
import { QueryRecords, recordNotFound } from './query/query-records.service.js';
import {
  recordEvent,
  refusal,
  refusalOf,
  refuseExcess,
  selectionByFilter,
  viewText,
} from './record-writes.js';
import type { DeletedRecordsView, DeletedRecordView, DeleteRecordsBody } from './records.dto.js';
import { WriteAttempts } from './write-attempts.js';

const deletedView = <Count>(deleted: Count) => ({ deleted_count: deleted });
const deletedText: AnswerText = ({ updated }) => viewText(deletedView(updated));

/** Deletes records, one or all that a filter matches. */
@Injectable()
export class DeleteRecords {
  constructor(
    private readonly store: RecordStore,
    private readonly queryRecords: QueryRecords,
    private readonly attempts: WriteAttempts,
  ) {}

  /** Throws 404 `RecordNotFound`, and 412 unless its entity tag satisfies the condition. */
  async delete(call: Call, access: Access, recordId: string, tag?: TagCondition): Promise<DeletedRecordView> {
    if (!isUuid(recordId)) throw recordNotFound();
    const deleted = await this.remove(call, access, { recordId, tag });
    if (deleted === 0)
      return this.queryRecords.refuseMissing(access, recordId, tag, { action: 'delete', names: [] });
    return deletedView(deleted);
  }

  /**
   * 403 without the right to read: the counts tell what records contain. With the fingerprint of a dry run it deletes
   * `exactly` these records, and throws 400 if the filter matches others.
   */
  async deleteMany(
    call: Call,
    access: Access,
    body: DeleteRecordsBody,
    exactly?: string,
  ): Promise<DeletedRecordsView> {
    if (body.dry_run) return { ...deletedView((await this.deletable(access, body)).count), dry_run: true };
    requireRight(access, 'read');
    return deletedView(await this.remove(call, access, { ...selectionByFilter(body), exactly }));
  }

  /** 400 and 403 as the delete itself. */
  async deletable(access: Access, body: DeleteRecordsBody): Promise<Deletable> {
    requireRight(access, 'read');
    const selection = selectionByFilter(body);
    return this.attempts.run(access, ({ collection }) => ({
      write: async ({ until }) => {
        const targets = targetsOf(forDelete(collection));
        const statement = deletableStatement(targets, selection.filter);
        const deletable = await this.store.readPrimary(collection, statement, { until });
        refuseExcess(selection, deletable.count);
        return deletable;
      },
      refusal: error => refusal(error, collection),
    }));
  }

  private remove(call: Call, access: Access, selection: Selection): Promise<number> {
    const description = { call, type: 'collections.records.deleted' as const, answer: deletedText };
    return this.attempts.run(access, ({ collection }) => ({
      write: async ({ until }) => {
        const event = recordEvent(collection, description);
        const statement = deleteStatement(forDelete(collection), selection, event);
        const retry = { until, rights: call.rights };
        const [matched = 0, deleted = 0] = await this.store.write(collection, statement, retry);
        refuseExcess(selection, matched);
        if (deleted < matched) {
          throw invalid('filter: it no longer matches the records of the dry run. Repeat the dry run.');
        }
        return deleted;
      },
      refusal: error => refusalOf(selection)(error, collection),
    }));
  }
}
