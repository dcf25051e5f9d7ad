import { Injectable } from '@nestjs/common';
import type { Call } from '../../base/kernel/call.js';
import { Clock } from '../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { newId } from '../../base/kernel/id.js';
import { authorOf } from '../../base/kernel/principal.js';
import { parseFilter } from '../../engine/filter/index.js';
import { lockHistory } from '../../engine/storage/history/erase.js';
import { MAX_UNDONE } from '../../engine/storage/history/inserted-ids.js';
import { lockPlanned, type PutBackTransaction } from '../../engine/storage/history/plan.js';
import { type PastSelection, planPast } from '../../engine/storage/history/restore-plan.js';
import { AuditLog } from '../../platform/audit/audit-log.js';
import { claimKey, storeResponse } from '../../platform/idempotency/stored-responses.js';
import type { Collection } from '../collections/collection.entity.js';
import type { Access } from '../collections/collection-access.js';
import { collectionEvent } from '../collections/collection-event.js';
import { requireRight } from '../collections/collection-rights.js';
import { keptInstant } from '../collections/kept-history.js';
import { refusal } from '../records/record-writes.js';
import { type Conflicts, PlannedRecords } from './planned-records.js';
import { PutBackAttempts } from './put-back-attempts.service.js';
import type { RestoredRecordsView, RestoreRecordsBody } from './restore.dto.js';

/** A restore of one version of a collection. */
interface Restore extends PastSelection {
  readonly call: Call;
  readonly collection: Collection;
  readonly dryRun: boolean;
}

/** Makes records what they were at an instant, in one transaction with one audit event. */
@Injectable()
export class RestoreRecords {
  constructor(
    private readonly attempts: PutBackAttempts,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws 403 for a search without the right to read, 400 `HistoryUnavailable`, 409 `AlreadyExists` when other records have earlier unique values now, 422
   * `CollectionFull`, and 422 `ConstraintViolation` for earlier values that do not fit the present columns.
   */
  restore(call: Call, access: Access, body: RestoreRecordsBody): Promise<RestoredRecordsView> {
    // The counts tell what records contain.
    if (body.dry_run || body.filter !== undefined) requireRight(access, 'read');
    const filter = body.filter === undefined ? undefined : parseFilter(body.filter);
    const { dry_run: dryRun = false } = body;
    return this.attempts.run(access, {
      call,
      dryRun,
      toRefusal: refusal,
      within: (begun, { collection }) => {
        const at = keptInstant(collection, body.as_of, this.clock.now());
        return this.within(begun, { call, collection, at, filter, dryRun });
      },
    });
  }

  private async within(begun: PutBackTransaction, restore: Restore): Promise<RestoredRecordsView> {
    const { call, collection, at, dryRun } = restore;
    const { transaction, server } = begun;
    if (!dryRun) await claimKey(transaction, call);
    await lockHistory(transaction, collection);
    const id = newId();
    await this.attempts.beginPlan(begun, collection, id);
    const { matching, planned } = await planPast(server, collection, restore);
    if (planned > MAX_UNDONE) throw tooMany();
    await lockPlanned(server, collection);
    const made = { eventId: id, author: authorOf(call.principal) };
    const records = new PlannedRecords(begun, collection, made, this.clock.now());
    const conflicts = await records.conflicts('stop');
    if (conflicts.remaining > 0) throw takenValues(conflicts);
    const { updated, inserted, deleted, ids: recordIds } = await records.write();
    const restored = updated + inserted;
    const count = restored + deleted;
    if (count > 0 && !dryRun) {
      const changes = { as_of: at.toISOString(), inserted, updated, deleted };
      const details = { id, count, recordIds, changes };
      const event = collectionEvent('collections.records.restored', collection, details);
      await this.audit.record(transaction, call, collection.orgId, event);
    }
    const event_id = count > 0 && !dryRun ? id : null;
    const view = { restored, deleted, unchanged: matching - count, event_id };
    if (!dryRun) await storeResponse(transaction, call, view);
    return view;
  }
}

function tooMany(): PlatformError {
  return invalid(
    `More than ${MAX_UNDONE} of the matching records were written since. Nothing was written. Restore fewer records at once, with a filter.`,
  );
}

function takenValues({ first, remaining }: Conflicts): PlatformError {
  return new PlatformError(
    'AlreadyExists',
    `Nothing was written: unique values of ${remaining} of the records belong to other records now.`,
    first.map(({ record_id }) => ({ record_id })),
  );
}
