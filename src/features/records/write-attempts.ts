import { Injectable } from '@nestjs/common';
import { attemptUntil, type Outcome } from '../../base/kernel/bounds/attempts.js';
import { type Deadline, deadlineIn, isOver } from '../../base/kernel/bounds/deadline.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { isUniqueViolation, sqlState } from '../../base/kernel/sql-state.js';
import { isQuotaUsed, type Quota, QuotaUsed } from '../../engine/storage/quota/quota.js';
import { type QuotaLease, useOutcome } from '../../engine/storage/quota/quota-lease.js';
import { QuotaLeases } from '../../engine/storage/quota/quota-leases.js';
import { isRefusedFor } from '../../engine/storage/refused-value.js';
import { ifStale, isStale } from '../../engine/storage/stale.js';
import { Settings } from '../../platform/config/settings.js';
import { type Access, CollectionAccess } from '../collections/collection-access.js';
import { CurrentAccess, isUnproven, REFUSED, STALE } from '../collections/current-access.js';
import { ExpiredRecords } from './expiry.service.js';
import { NotShared } from './shared-write.js';

/** A write that was planned for one version of a collection. */
export interface PlannedWrite<T> {
  /** Writes all or nothing. Rejects with the database's error. */
  write(attempt: WriteAttempt): Promise<T>;
  /** The client's error for one of the database. */
  refusal(error: unknown): unknown;
  /** True when another write came first, so that the next attempt can succeed. */
  isOvertaken?(error: unknown): boolean;
  /** Attempts while other writes come first. Default: until the deadline. */
  readonly maxAttempts?: number;
  /** True when SQL may refuse a valid write. `write` then does it in another way (`isExact`). */
  readonly mayBeExact?: boolean;
}

/** Plans a write. Throws the client's error, or `Stale`. */
type Plan<T> = (access: Access, until: Deadline) => PlannedWrite<T> | Promise<PlannedWrite<T>>;

/** A write of one request, and what its next attempt has to know of those before. */
export class WriteAttempt<T = unknown> extends CurrentAccess<Access> {
  /** Undefined until the write is planned for the collection as it is now. */
  planned: PlannedWrite<T> | undefined;
  /** True when the write cannot share a statement. */
  isAlone = false;
  /** True when SQL could not decide whether the result is valid. */
  isExact = false;
  /** Records for which this attempt needs capacity: of the lease, or of the quota itself. */
  added: number | undefined;
  lease: QuotaLease | undefined;
  private plannedFor: Access | undefined;

  constructor(
    readonly services: Pick<WriteAttempts, 'accesses' | 'leases' | 'expired'>,
    access: Access,
    until: Deadline,
    private readonly plan: Plan<T>,
  ) {
    super(services.accesses, access, until);
  }

  async run(): Promise<T> {
    const { current } = this;
    this.forgetQuota();
    if (this.plannedFor !== current) this.planned = undefined;
    this.plannedFor = current;
    this.planned ??= await this.plan(current, this.until);
    try {
      const result = await this.planned.write(this);
      this.lease?.end(this.added ?? 0, 'written');
      return result;
    } catch (error) {
      this.lease?.end(this.added ?? 0, useOutcome(error));
      throw error;
    }
  }

  private forgetQuota(): void {
    this.added = undefined;
    this.lease = undefined;
  }

  /** How the statement that adds `count` records keeps `max_records`. */
  async quota(count: number): Promise<Quota> {
    const { collection } = this.current;
    const { max_records: most } = collection.settings;
    this.added = count;
    this.lease = await this.services.leases.lease(collection, most, count);
    return this.lease ?? { records: count, most };
  }

  /** Resolves when the collection seems to have capacity. Throws 422 `CollectionFull`, or `Stale`. */
  waitForCapacity(count: number): Promise<void> {
    const { collection } = this.current;
    const { max_records: most } = collection.settings;
    const removeExpired = () => this.services.expired.removeSome(collection, this.until);
    return this.services.leases.waitForCapacity(collection, most, count, removeExpired, this.until);
  }
}

const DEADLOCK = '40P01';

/** How an attempt can fail, and what is done before the next one. The first outcome that fits an error counts. */
const OUTCOMES: readonly Outcome<WriteAttempt>[] = [
  // The shared statement has failed or has left out this write: it gets a statement of its own.
  {
    is: error => error instanceof NotShared,
    prepare: (_, attempt) => {
      attempt.isAlone = true;
    },
  },
  // SQL found a number or a size that it cannot judge: the records are read.
  {
    is: (error, { planned, isExact }) => planned?.mayBeExact === true && !isExact && isUndecided(error),
    prepare: (_, attempt) => {
      attempt.isExact = true;
    },
  },
  // The quota is used up. Without a lease a failed version check can mean this too.
  {
    is: (error, attempt, failed) => isFull(error, attempt) && mayRepeat(attempt, failed),
    withoutPause: 1,
    prepare: (error, attempt) => {
      const needed = error instanceof QuotaUsed ? error.records : attempt.added;
      return needed && attempt.waitForCapacity(needed).catch(ifStale(() => attempt.reload()));
    },
    late: capacityIsTaken,
  },
  // PostgreSQL has ended one of two writes that waited for each other.
  { is: error => sqlState(error) === DEADLOCK, withoutPause: 0, late: recordsKeepChanging },
  // A unique value may belong to an expired record, which reads do not show any more.
  {
    is: (error, { current, until }, failed) =>
      isUniqueViolation(error) && current.collection.mayExpire && failed === 0 && !isOver(until),
    prepare: async (_, { current: { collection }, until, services: { expired } }) => {
      if ((await expired.remove(collection, until)) === 0) await expired.removeSome(collection, until);
    },
  },
  {
    is: (error, attempt, failed) =>
      attempt.planned?.isOvertaken?.(error) === true && mayRepeat(attempt, failed),
    withoutPause: 1,
    late: recordsKeepChanging,
  },
  STALE,
  {
    ...REFUSED,
    is: () => true,
    prepare: async (error, attempt) => {
      const { planned } = attempt;
      const refusal = planned === undefined ? error : await planned.refusal(error);
      if (!isUnproven(refusal)) throw refusal;
      await attempt.refuse(refusal);
    },
  },
];

function isUndecided(error: unknown): boolean {
  return isRefusedFor(error, 'number') || isRefusedFor(error, 'size');
}

function isFull(error: unknown, { added, lease }: WriteAttempt): boolean {
  return isQuotaUsed(error) || (isStale(error) && added !== undefined && lease === undefined);
}

function mayRepeat({ planned, until }: WriteAttempt, failed: number): boolean {
  const { maxAttempts } = planned ?? {};
  return maxAttempts === undefined || (failed + 1 < maxAttempts && !isOver(until));
}

/**
 * Attempts a write until it succeeds, is refused, or the deadline of the request is over. Waiting for connections and for
 * locks is left to `RecordAdmission`, which all statements share.
 */
@Injectable()
export class WriteAttempts {
  constructor(
    readonly accesses: CollectionAccess,
    readonly leases: QuotaLeases,
    readonly expired: ExpiredRecords,
    private readonly settings: Settings,
  ) {}

  /** The write is planned for the collection as it is now, and again after the collection has changed. */
  run<T>(access: Access, plan: Plan<T>): Promise<T> {
    const until = deadlineIn(this.settings.REQUEST_TIMEOUT_MS);
    const attempt = new WriteAttempt(this, access, until, plan);
    return attemptUntil(until, attempt, () => attempt.run(), OUTCOMES);
  }
}

function capacityIsTaken(): PlatformError {
  return new PlatformError(
    'Conflict',
    'Other writes keep using up the remaining records of settings.max_records. Nothing was written. Retry.',
  );
}

/** 409: concurrent writes made every attempt fail until the deadline. */
function recordsKeepChanging(): PlatformError {
  return new PlatformError(
    'Conflict',
    'Other writes keep changing the same records. Nothing was written. Retry.',
  );
}
