import { setTimeout as pause } from 'node:timers/promises';
import { Injectable } from '@nestjs/common';
import type { AdmissionQueue } from '../../base/kernel/bounds/admission/admission-queue.js';
import type { Share } from '../../base/kernel/bounds/admission/share.js';
import type { Deadline, Presence } from '../../base/kernel/bounds/deadline.js';
import type { Renewable } from '../../base/kernel/decided-rights.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { isLockTimeout, isTableLockTimeout } from '../../base/kernel/sql-state.js';
import { Settings } from '../../platform/config/settings.js';
import { Admission, STAYED_LOCKED } from '../../platform/database/admission/admission.js';
import type { Table } from './table-sql.js';

/**
 * Pauses between attempts to lock rows grow from the first to the second of these. They are random, so that writers
 * that contend with each other do not retry at the same moment.
 */
const FIRST_PAUSE_MS = 50;
const LONGEST_PAUSE_MS = 1_000;

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

/**
 * Admits work on users' tables to the pool. Rights that became old while the work waited are decided again. Work that
 * waits too long for a lock returns its connection and is retried later. While a table is locked, one probe at a time
 * checks whether it still is.
 */
@Injectable()
export class RecordAdmission {
  private readonly queue: AdmissionQueue;
  private readonly lockTimeoutMs: number;

  constructor(admission: Admission, { DATABASE_STATEMENT_TIMEOUT_MS }: Settings) {
    this.queue = admission.records;
    this.lockTimeoutMs = DATABASE_STATEMENT_TIMEOUT_MS;
  }

  /**
   * Runs the work. Rejects with 503 when the work is not admitted in time, or when locks block it until its deadline.
   * Rejects with 401, 403 or 404 when its rights were withdrawn meanwhile.
   */
  async run<T>({ orgId, id }: Table, work: () => Promise<T>, retry?: LockRetry): Promise<T> {
    const { queue } = this;
    const rights = retry?.rights;
    let now = performance.now();
    const until = Math.min(retry?.until ?? Infinity, now + this.lockTimeoutMs);
    let pauseMs = FIRST_PAUSE_MS;
    const callerId = retry?.caller?.id ?? rights?.callerId;
    for (let entered = queue.enter(orgId, id, until, retry?.caller, callerId); ; ) {
      let share: Share;
      if (entered instanceof Promise) {
        share = await entered;
        now = performance.now();
      } else {
        share = entered;
      }
      if (rights?.areOld(now)) await this.renew(rights, share);
      try {
        const result = await work();
        queue.open(share);
        return result;
      } catch (error) {
        if (isTableLockTimeout(error)) queue.close(share);
        else queue.open(share);
        if (!isToRetry(error, retry)) throw error;
        if (performance.now() > until) throw stayedLocked();
      } finally {
        queue.leave(share);
      }
      const isTable = queue.isClosed(orgId, id);
      if (!isTable) {
        pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
        await pause(Math.random() * pauseMs);
      }
      entered = queue.enterAgain(share, until, retry?.caller, isTable);
    }
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
