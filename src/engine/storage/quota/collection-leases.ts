import type { Logger } from '@nestjs/common';
import { sqlState } from '../../../base/kernel/sql-state.js';
import type { Notifications } from '../../../platform/database/notifications.js';
import type { CollectionShape } from '../collection-shape.js';
import type { RecordStore } from '../record-store.js';
import { ifStale } from '../stale.js';
import type { Statement } from '../statement.js';
import { giveBackStatement, type LeaseRequest, leaseStatement, leftBehindStatement } from './quota.js';
import { type LeaseUse, QuotaLease, type UseOutcome } from './quota-lease.js';

/**
 * Time for which an instance uses a lease. In the database it lasts 60 s, so it expires there only when its holder has
 * died.
 */
const USED_FOR_MS = 30_000;
/** Near the limit inserts take capacity one by one for this time; then the instance asks for a lease again. */
const EXACT_FOR_MS = 1_000;
const NONE = [0, 0] as const;

/** What the leases of all collections on an instance share. */
export interface LeaseHolder {
  readonly store: Pick<RecordStore, 'write'>;
  readonly notifications: Pick<Notifications, 'isListening'>;
  readonly logger: Pick<Logger, 'debug'>;
  /** The name of the instance in the database. */
  readonly id: string;
}

/** What this instance knows of the quota. */
type State =
  /** Nothing: the next insert asks for a lease. */
  | { readonly kind: 'unknown' }
  /** Inserts take capacity from a lease. */
  | { readonly kind: 'leased'; readonly lease: QuotaLease }
  /** Near the limit, inserts of this version of the collection take capacity one by one for a while. */
  | { readonly kind: 'exact'; readonly until: number; readonly version: number };

const UNKNOWN: State = { kind: 'unknown' };

/**
 * The lease of one collection on this instance, and the inserts that use it. Statements about leases of the collection
 * run one after the other.
 */
export class CollectionLeases implements LeaseUse {
  private state: State = UNKNOWN;
  private usedAt = performance.now();
  private renewal: Promise<void> | undefined;
  /** Ends with the statements about leases that have been started. */
  private exchanges: Promise<unknown> = Promise.resolve();
  /** Inserts of this collection that use a lease, be it the present one or an earlier one. */
  private inFlight = 0;
  /** True when capacity may have been lost, because the result of an insert is unknown. Only a count can free it. */
  private isDoubtful = false;

  constructor(
    private readonly holder: LeaseHolder,
    private shape: CollectionShape,
  ) {}

  /**
   * Capacity for `count` records: a lease, or undefined when the insert has to take capacity from the quota itself. Waits
   * for the database only when no lease has enough.
   */
  take(
    shape: CollectionShape,
    most: number,
    count: number,
  ): QuotaLease | undefined | Promise<QuotaLease | undefined> {
    this.usedAt = performance.now();
    if (this.isExact(shape)) return undefined;
    const lease = this.taken(shape, count);
    if (lease === undefined) return this.renewed(shape, most, count);
    // After a failure the lease is as it was, and the next insert tries again.
    if (lease.left < lease.extendBelow) this.renewOnce(() => this.extend(lease, most)).catch(() => undefined);
    return lease;
  }

  /**
   * Ends the use of a lease by an insert. Capacity that it has not used goes to the present lease, or back to the quota
   * if that has another generation.
   */
  end(lease: QuotaLease, count: number, outcome: UseOutcome): void {
    const { generation } = lease;
    this.inFlight -= 1;
    if (outcome === 'unknown') this.isDoubtful = true;
    const unused = outcome === 'refused' || outcome === 'stale' ? count : 0;
    if (outcome === 'stale') {
      // With another version of the collection the capacity still counts as used. For an ended generation the database
      // ignores what is given back.
      const left = this.lease === lease ? this.close()?.left : 0;
      void this.giveBack(generation, unused + (left ?? 0));
    } else if (this.lease?.generation === generation) this.lease.left += unused;
    else if (unused > 0 || this.inFlight === 0) void this.giveBack(generation, unused);
  }

  /** Gives the lease back: its unused capacity now, the rest when its inserts have ended. */
  giveUp(): Promise<void> {
    const lease = this.close();
    if (lease === undefined && !this.isDoubtful) return Promise.resolve();
    return this.giveBack(lease?.generation ?? 0, lease?.left ?? 0);
  }

  /**
   * Gives back a lease without use, and extends one with inserts in flight. Returns false when this instance has nothing
   * to remember about the collection.
   */
  sweep(): boolean {
    const isIdle = this.usedAt < performance.now() - USED_FOR_MS;
    if (this.inFlight > 0) void this.giveBack(0, 0);
    else if (isIdle && (this.lease !== undefined || this.isDoubtful)) void this.giveUp();
    else return !isIdle;
    return true;
  }

  private get lease(): QuotaLease | undefined {
    return this.state.kind === 'leased' ? this.state.lease : undefined;
  }

  private isExact({ version }: CollectionShape): boolean {
    const { state } = this;
    return state.kind === 'exact' && state.version === version && state.until > performance.now();
  }

  /** Takes no more capacity from the lease, if there is one. Its inserts may still be in flight. */
  private close(): QuotaLease | undefined {
    const { lease } = this;
    if (lease !== undefined) this.state = UNKNOWN;
    return lease;
  }

  /** Takes capacity from the current lease, if it has enough. */
  private taken(shape: CollectionShape, count: number): QuotaLease | undefined {
    const { lease } = this;
    if (lease === undefined || lease.left < count || lease.version !== shape.version) return undefined;
    if (lease.since + USED_FOR_MS < this.usedAt) return undefined;
    lease.left -= count;
    this.inFlight += 1;
    return lease;
  }

  /** Callers that waited for a renewal try to use the new lease. */
  private async renewed(
    shape: CollectionShape,
    most: number,
    count: number,
  ): Promise<QuotaLease | undefined> {
    for (;;) {
      await this.renewOnce(() => this.replace(shape, most, count));
      if (this.isExact(shape)) return undefined;
      const lease = this.taken(shape, count);
      if (lease !== undefined) return lease;
    }
  }

  /** Runs one renewal of a collection at a time. */
  private renewOnce(renew: () => Promise<void>): Promise<void> {
    this.renewal ??= renew().finally(() => {
      this.renewal = undefined;
    });
    return this.renewal;
  }

  /** Ends the current lease, if any, and leases capacity for `wanted` records with some to spare. */
  private replace(shape: CollectionShape, most: number, wanted: number): Promise<void> {
    const { generation = 0, left: unused = 0 } = this.close() ?? {};
    this.shape = shape;
    const { version } = shape;
    return this.exchange(async () => {
      const [current, granted] = await this.request({ generation, unused, wanted, most });
      this.state =
        granted > 0
          ? { kind: 'leased', lease: new QuotaLease(this, version, current, granted) }
          : { kind: 'exact', until: performance.now() + EXACT_FOR_MS, version };
    });
  }

  /** Adds capacity to a lease, so that inserts do not wait for its renewal. */
  private extend(lease: QuotaLease, most: number): Promise<void> {
    return this.exchange(async () => {
      const { generation } = lease;
      const [current, granted] = await this.request({ generation, unused: 0, wanted: 0, most });
      if (this.lease === lease && current === generation) lease.extend(granted);
      else if (granted > 0) void this.giveBack(current, granted);
    });
  }

  /** The generation and the capacity that the database has granted: 0 when there is none to lease. */
  private async request(
    request: Pick<LeaseRequest, 'generation' | 'unused' | 'wanted' | 'most'>,
  ): Promise<readonly [generation: number, granted: number]> {
    const { shape, holder } = this;
    if (!holder.notifications.isListening) return NONE;
    const inFlight = this.inFlight > 0 || this.lease !== undefined;
    const statement = leaseStatement(shape, { ...request, holder: holder.id, inFlight });
    try {
      return (await this.write<[number, number]>(shape, statement)) ?? NONE;
    } catch (error) {
      // Dropping an organization locks its tables in no fixed order, so a deadlock is possible.
      if (sqlState(error) === '40P01') return NONE;
      throw error;
    }
  }

  /** Gives capacity back, and ends the lease unless inserts use it. */
  private giveBack(generation: number, unused: number): Promise<void> {
    return this.exchange(async () => {
      const inFlight = this.inFlight > 0 || this.lease !== undefined;
      const holder = this.holder.id;
      await this.write(this.shape, giveBackStatement(this.shape, { holder, generation, unused, inFlight }));
    }).catch(error =>
      this.holder.logger.debug(`a quota lease was not given back: ${(error as Error).message}`),
    );
  }

  /**
   * Runs `work` after the exchanges before it. Work that failed may have been done, so capacity may be lost: see
   * `isDoubtful`.
   */
  private exchange(work: () => Promise<void>): Promise<void> {
    const done = this.exchanges.then(async () => {
      if (this.isDoubtful) await this.write(this.shape, leftBehindStatement(this.shape));
      this.isDoubtful = false;
      try {
        await work();
      } catch (error) {
        this.isDoubtful = true;
        throw error;
      }
    });
    this.exchanges = done.catch(() => undefined);
    return done;
  }

  /** Undefined when the collection has changed. */
  private write<Values extends readonly unknown[]>(
    shape: CollectionShape,
    statement: Statement,
  ): Promise<Values | undefined> {
    return this.holder.store.write<Values>(shape, statement).catch(ifStale(() => undefined));
  }
}
