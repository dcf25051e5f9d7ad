import type { Quota } from './quota.js';

/** Keeps the leases of one collection. Called when an insert ends; the methods of `QuotaLease` with the same names say how. */
export interface LeaseUse {
  settle(lease: QuotaLease, unused: number): void;
  abandon(lease: QuotaLease): void;
  forget(lease: QuotaLease, count: number): void;
}

/** Capacity of one collection that this instance may use. An insert that took some of it ends with one of the methods. */
export class QuotaLease {
  /** True when the lease is being given back: no more capacity is taken from it. */
  ended = false;
  since = performance.now();
  /** With fewer records left, the lease is extended while inserts still use it. */
  extendBelow: number;

  constructor(
    private readonly use: LeaseUse,
    readonly version: number,
    readonly generation: number,
    /** Records that still fit. */
    public left: number,
  ) {
    this.extendBelow = left / 2;
  }

  /** Adds capacity that was granted now. If there was none, the lease is not extended again. */
  extend(granted: number): void {
    this.left += granted;
    this.extendBelow = granted > 0 ? this.left / 2 : 0;
    if (granted > 0) this.since = performance.now();
  }

  /** Ends the use of the lease by an insert: `unused` records were not added. */
  settle(unused: number): void {
    this.use.settle(this, unused);
  }

  /** Ends the use of the lease by an insert whose result is unknown. */
  abandon(): void {
    this.use.abandon(this);
  }

  /**
   * Ends the lease, because an insert of `count` records was not done: the generation of the lease has ended, or the
   * collection has another version.
   */
  forget(count: number): void {
    this.use.forget(this, count);
  }
}

/** The quota for the statement of an insert, with or without a lease. */
export function quotaOf(lease: QuotaLease | undefined, records: number, most: number): Quota {
  return lease === undefined ? { records, most } : lease;
}
