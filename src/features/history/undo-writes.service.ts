import { Injectable } from '@nestjs/common';
import type { Call } from '../../base/kernel/call.js';
import { Clock } from '../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import { newId } from '../../base/kernel/id.js';
import { authorOf } from '../../base/kernel/principal.js';
import { lockHistory } from '../../engine/storage/history/erase.js';
import { MAX_UNDONE } from '../../engine/storage/history/inserted-ids.js';
import { lockPlanned, type PutBackTransaction } from '../../engine/storage/history/plan.js';
import type { PutBack } from '../../engine/storage/history/put-back.js';
import { chooseUndone, planWritesOf } from '../../engine/storage/history/undo-plan.js';
import type { RecordTransaction } from '../../engine/storage/table-access.js';
import { AuditLog } from '../../platform/audit/audit-log.js';
import type { EventSelection } from '../../platform/audit/record-writes.js';
import { claimKey, storeResponse } from '../../platform/idempotency/stored-responses.js';
import type { Access } from '../collections/collection-access.js';
import { collectionEvent } from '../collections/collection-event.js';
import { requireRight } from '../collections/collection-rights.js';
import { type Conflicts, type OnConflict, PlannedRecords } from './planned-records.js';
import { PutBackAttempts } from './put-back-attempts.service.js';
import type { UndoneView, UndoWritesBody } from './undo.dto.js';
import { selectionOf, tooMany, UndoneEvents } from './undone-events.service.js';

/** Events that the audit event of an undo lists. */
const MAX_LISTED = 1_000;

interface Undo {
  readonly call: Call;
  readonly access: Access;
  readonly selection: EventSelection;
  readonly onConflict: OnConflict;
  readonly dryRun: boolean;
  /** An undo of other records, or of other versions of them, is refused. */
  readonly exactly?: string | undefined;
}

/** What an undo would do. */
export interface Undoable {
  readonly view: UndoneView;
  /** The same as long as the undo would write the same: the records, what they become, and what they are now. */
  readonly fingerprint: string;
}

/** Puts back what writes replaced, and deletes what they inserted, in one transaction with one audit event. */
@Injectable()
export class UndoWrites {
  constructor(
    private readonly events: UndoneEvents,
    private readonly attempts: PutBackAttempts,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /**
   * Throws 400, 403 for writes of others and for dry runs without the right to read, 409 `UndoConflict`, 422 `CollectionFull`, and 422 `ConstraintViolation` for
   * earlier values that do not fit the present columns. With the fingerprint of a dry run it writes `exactly` what that
   * showed, and throws 400 if the undo would write anything else.
   */
  async undo(call: Call, access: Access, body: UndoWritesBody, exactly?: string): Promise<UndoneView> {
    if (body.dry_run) return (await this.undoable(call, access, body)).view;
    return (await this.run(call, access, body, { dryRun: false, exactly })).view;
  }

  /** Throws as the undo itself does. */
  async undoable(call: Call, access: Access, body: UndoWritesBody): Promise<Undoable> {
    requireRight(access, 'read');
    return this.run(call, access, body, { dryRun: true });
  }

  private run(
    call: Call,
    access: Access,
    body: UndoWritesBody,
    how: Pick<Undo, 'dryRun' | 'exactly'>,
  ): Promise<Undoable> {
    const selection = selectionOf(body);
    const { on_conflict: onConflict = 'stop' } = body;
    if (onConflict === 'force' && access.collection.restricted !== undefined) throw noForce();
    return this.attempts.run(access, {
      call,
      dryRun: how.dryRun,
      within: (begun, current) =>
        this.within(begun, { call, access: current, selection, onConflict, ...how }),
    });
  }

  private async within(begun: PutBackTransaction, undo: Undo): Promise<Undoable> {
    const { call, access, selection, onConflict, dryRun, exactly } = undo;
    const { collection } = access;
    const { transaction, server } = begun;
    if (!dryRun) await claimKey(transaction, call);
    await lockHistory(transaction, collection);
    const undone = await this.events.find(transaction, access, selection);
    const eventId = newId();
    await this.attempts.beginPlan(begun, collection, eventId);
    if ((await planWritesOf(server, collection, undone)) > MAX_UNDONE) throw tooMany();
    await lockPlanned(server, collection);
    await chooseUndone(server, collection, undone);
    const planned = new PlannedRecords(
      begun,
      collection,
      { eventId, author: authorOf(call.principal) },
      this.clock.now(),
    );
    const conflicts = await planned.conflicts(onConflict);
    const fingerprint = await planned.fingerprint();
    if (onConflict !== 'skip' && conflicts.remaining > 0) {
      if (!dryRun) throw undoConflict(conflicts);
      const view = { undone: 0, skipped: 0, conflicts: conflicts.first, event_id: null };
      return { view, fingerprint };
    }
    if (exactly !== undefined && exactly !== fingerprint)
      throw invalid('The undo would no longer write what the dry run showed. Repeat the dry run.');
    const written = await planned.write();
    const isWritten = await this.record(transaction, undo, { id: eventId, undone, written });
    const view: UndoneView = {
      undone: countOf(written),
      skipped: conflicts.remaining,
      conflicts: conflicts.first,
      event_id: isWritten ? eventId : null,
    };
    if (!dryRun) await storeResponse(transaction, call, view);
    return { view, fingerprint };
  }

  /** Writes the audit event, unless nothing was written. */
  private async record(
    transaction: RecordTransaction,
    { call, access: { collection }, dryRun }: Undo,
    { id, undone, written }: { id: string; undone: readonly string[]; written: PutBack },
  ): Promise<boolean> {
    const { updated, inserted, deleted, ids: recordIds } = written;
    const count = countOf(written);
    if (dryRun || count === 0) return false;
    const changes = { undoes: undone.slice(0, MAX_LISTED), inserted, updated, deleted };
    const event = collectionEvent('collections.records.undone', collection, {
      id,
      count,
      recordIds,
      changes,
    });
    await this.audit.record(transaction, call, collection.orgId, event);
    return true;
  }
}

function countOf({ updated, inserted, deleted }: PutBack): number {
  return updated + inserted + deleted;
}

function noForce(): PlatformError {
  return new PlatformError(
    'RuleRefused',
    'on_conflict: "force" would discard writes of others. Your access has rules, so it cannot do that.',
  );
}

function undoConflict({ first, remaining }: Conflicts): PlatformError {
  return new PlatformError(
    'UndoConflict',
    `Nothing was written: ${remaining} of the records were written since, or their unique values belong to other records. ` +
      'Send on_conflict: "skip" to leave these records as they are, or "force" to discard later writes.',
    first,
  );
}
