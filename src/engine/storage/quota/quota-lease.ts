import { unavailable } from '../../../base/kernel/sql-state.js';
import { isStale } from '../stale.js';

/** How an insert that used a lease has ended. */
export type UseOutcome =
  | 'written'
  /** Nothing was written. */
  | 'refused'
  /** The connection was lost: the insert may have been written, so its capacity may be used. */
  | 'unknown'
  /** Nothing was written, because the generation of the lease has ended or the collection has another version. */
  | 'stale';

export function useOutcome(error: unknown): UseOutcome {
  if (error === undefined) return 'written';
  if (isStale(error)) return 'stale';
  return unavailable(error) === undefined ? 'refused' : 'unknown';
}

/** Keeps the leases of one collection. */
export interface LeaseUse {
  end(lease: QuotaLease, count: number, outcome: UseOutcome): void;
}

/** Capacity of one collection that this instance may use. */
export class QuotaLease {
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

  /** Ends the use by an insert of `count` records. */
  end(count: number, outcome: UseOutcome): void {
    this.use.end(this, count, outcome);
  }
}
