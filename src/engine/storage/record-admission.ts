import { Injectable } from '@nestjs/common';
import type { AdmissionQueue } from '../../base/kernel/bounds/admission/admission-queue.js';
import type { Share } from '../../base/kernel/bounds/admission/share.js';
import { attemptUntil, type Outcome } from '../../base/kernel/bounds/attempts.js';
import { type Deadline, type Presence, pauseBeforeRetry } from '../../base/kernel/bounds/deadline.js';
import type { Renewable } from '../../base/kernel/decided-rights.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { isLockTimeout, isTableLockTimeout } from '../../base/kernel/sql-state.js';
import { Settings } from '../../platform/config/settings.js';
import { Admission, STAYED_LOCKED } from '../../platform/database/admission/admission.js';
import type { Table } from './table-sql.js';

/** How work on a table is retried after a lock timeout. */
export interface LockRetry {
  /** Deadline of the request. Work is never retried for longer than a statement may take. */
  readonly until?: Deadline | undefined;
  /** The client that waits for the work. The work leaves the queue when the client disconnects. */
  readonly caller?: Presence | undefined;
  /** The rights of a write. They are decided again when the work has waited for too long. */
  readonly rights?: Renewable | undefined;
  /** False: retries lock timeouts of the table only. The caller handles lock timeouts of rows. */
  readonly forRows?: boolean;
}

/** Work that is admitted, again after each lock timeout. */
interface Admitted {
  readonly table: Table;
  readonly retry: LockRetry | undefined;
  readonly until: Deadline;
  /** The share of the attempt before. */
  share?: Share;
  /** Set when the next attempt comes before other work of the caller. */
  isFirst?: boolean;
}

/**
 * Admits work on users' tables to the pool. Rights that became old while the work waited are decided again. Work that
 * waits too long for a lock returns its connection and is retried later. While a table is locked, one probe at a time
 * checks whether it still is.
 */
@Injectable()
export class RecordAdmission {
  private readonly queue: AdmissionQueue;
  private readonly lockTimeoutMs: number;
  private readonly outcomes: readonly Outcome<Admitted>[] = [
    {
      is: (error, { retry }) => isToRetry(error, retry),
      prepare: (_, admitted, failed) => this.prepareRetry(admitted, failed),
      late: stayedLocked,
    },
  ];

  constructor(admission: Admission, { DATABASE_STATEMENT_TIMEOUT_MS }: Settings) {
    this.queue = admission.records;
    this.lockTimeoutMs = DATABASE_STATEMENT_TIMEOUT_MS;
  }

  /**
   * Runs the work. Rejects with 503 when the work is not admitted in time, or when locks block it until its deadline.
   * Rejects with 401, 403 or 404 when its rights were withdrawn meanwhile.
   */
  run<T>(table: Table, work: () => Promise<T>, retry?: LockRetry): Promise<T> {
    const until = Math.min(retry?.until ?? Infinity, this.deadline());
    const admitted: Admitted = { table, retry, until };
    return attemptUntil(until, admitted, () => this.admit(admitted, work), this.outcomes);
  }

  private async admit<T>(admitted: Admitted, work: () => Promise<T>): Promise<T> {
    const { queue } = this;
    const { retry } = admitted;
    const entered = this.enter(admitted);
    const share = entered instanceof Promise ? await entered : entered;
    admitted.share = share;
    if (retry?.rights?.areOld(performance.now())) await this.renew(retry.rights, share);
    try {
      const result = await work();
      queue.open(share);
      return result;
    } catch (error) {
      if (isTableLockTimeout(error)) queue.close(share);
      else queue.open(share);
      throw error;
    } finally {
      queue.leave(share);
    }
  }

  private enter({ table: { orgId, id }, retry, until, share, isFirst }: Admitted): Share | Promise<Share> {
    if (share !== undefined) return this.queue.enterAgain(share, until, retry?.caller, isFirst);
    const callerId = retry?.caller?.id ?? retry?.rights?.callerId;
    return this.queue.enter(orgId, id, until, retry?.caller, callerId);
  }

  /** Work that found a table locked comes first when a probe has found that it is not locked any more. */
  private async prepareRetry(admitted: Admitted, failed: number): Promise<void> {
    const { table, until } = admitted;
    admitted.isFirst = this.queue.isClosed(table.orgId, table.id);
    // Locks of rows may be held for long, so the pauses double.
    if (!admitted.isFirst) await pauseBeforeRetry(until, 2 ** (failed + 1));
  }

  private async renew(rights: Renewable, share: Share): Promise<void> {
    try {
      await rights.renew();
    } catch (error) {
      this.queue.leave(share);
      throw error;
    }
  }

  /** True when work of the caller on the table would be admitted at once. */
  hasRoom({ orgId, id }: Table, caller: Presence | undefined): boolean {
    return this.queue.hasRoom(orgId, id, caller?.id);
  }

  /** The deadline of work that begins now, by `performance.now()`. */
  deadline(): number {
    return performance.now() + this.lockTimeoutMs;
  }

  /** True while only probes are admitted to the table, because it was found locked. */
  isLocked({ orgId, id }: Table): boolean {
    return this.queue.closed > 0 && this.queue.isClosed(orgId, id);
  }
}

function isToRetry(error: unknown, retry: LockRetry | undefined): boolean {
  return retry?.forRows === false ? isTableLockTimeout(error) : isLockTimeout(error);
}

function stayedLocked(): PlatformError {
  return new PlatformError('Unavailable', STAYED_LOCKED);
}
