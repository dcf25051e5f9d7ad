import { setTimeout as pause } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { Notifications } from '../../database/notifications.js';
import { Transactions } from '../../database/transactions.js';
import type { Deadline } from '../../kernel/bounds/deadline.js';
import { PlatformError } from '../../kernel/errors.js';
import { newId } from '../../kernel/id.js';
import { sqlState } from '../../kernel/sql-state.js';
import type { CollectionShape } from '../collection-shape.js';
import { RecordStore } from '../record-store.js';
import { ifStale, isStale } from '../stale.js';
import type { Statement } from '../statement.js';
import {
  giveBackStatement,
  type LeaseRequest,
  leaseStatement,
  leftBehindStatement,
  type Quota,
  roomStatement,
} from './quota.js';
import { countRecords } from './quota-count.js';

/**
 * Time for which an instance uses a lease. In the database it lasts 60 s, so it expires there only when its holder has
 * died.
 */
const USED_FOR_MS = 30_000;
const SWEEP_EVERY_MS = 10_000;
/** Near the limit inserts take room one by one for this time; then the instance asks for a lease again. */
const EXACT_FOR_MS = 1_000;
/** Maximum wait for room that other instances hold, and the time until the next such wait is allowed. */
const RECALL_WITHIN_MS = 1_000;
const RECALL_EVERY_MS = 5_000;
const LOOK_EVERY_MS = 20;
/** Maximum time for which an insert waits while expired records are removed. */
const EXPIRY_WITHIN_MS = 5_000;

/** Room in one collection that this instance may fill. */
export class QuotaLease {
  /** True when the lease is being given back: no more room is taken from it. */
  ended = false;
  readonly since = performance.now();

  constructor(
    readonly shape: CollectionShape,
    readonly generation: number,
    /** Records that still fit. */
    public left: number,
  ) {}
}

/** The state of one collection on this instance. */
interface Known {
  shape: CollectionShape;
  lease: QuotaLease | undefined;
  renewal: Promise<void> | undefined;
  /** Statements about leases of this collection run one after the other, each after this promise. */
  exchange: Promise<unknown>;
  /** Inserts of this collection that use a lease and have not ended. */
  inFlight: number;
  /** True when room may have been lost, because the result of an insert is unknown. Only a count can free it. */
  isDoubtful: boolean;
  exactUntil: number;
  exactVersion: number;
  recallAfter: number;
  usedAt: number;
}

/**
 * Keeps `max_records` exact without making writers wait for each other. The quota of a collection counts its records
 * and the room that is leased to instances. Far from the limit an instance leases room ahead of use, so that an insert
 * does not read the quota. Near the limit inserts take room from the quota in their own statement. Deletes give room
 * back.
 */
@Injectable()
export class QuotaLeases implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(QuotaLeases.name);
  private readonly holder = newId();
  private readonly known = new Map<string, Known>();
  private readonly counts = new Map<string, Promise<unknown>>();
  private sweeper: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: RecordStore,
    private readonly notifications: Notifications,
    @InjectDataSource() private readonly source: DataSource,
    private readonly transactions: Transactions,
  ) {}

  onModuleInit(): void {
    this.notifications.subscribe('quota.recalled', ids => {
      const recalled = ids === 'all' ? [...this.known.keys()] : ids;
      for (const id of recalled) void this.giveUp(id);
    });
    this.sweeper = setInterval(() => this.sweep(), SWEEP_EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.sweeper);
    await Promise.all([...this.known.keys()].map(id => this.giveUp(id)));
  }

  /**
   * Room for `count` records: a lease, which the caller settles when the insert has ended, or undefined when the insert
   * has to take room from the quota itself. Waits for the database only when the lease must be renewed.
   */
  lease(
    shape: CollectionShape,
    most: number,
    count: number,
  ): QuotaLease | undefined | Promise<QuotaLease | undefined> {
    const known = this.knownOf(shape);
    known.usedAt = performance.now();
    const isExact = known.exactUntil > known.usedAt && known.exactVersion === shape.version;
    return isExact ? undefined : (taken(known, shape, count) ?? this.renewed(known, shape, most, count));
  }

  /** Ends the use of a lease by an insert: `unused` records were not added. */
  settle(lease: QuotaLease, unused: number): void {
    const { generation } = lease;
    const known = this.knownOf(lease.shape);
    known.inFlight -= 1;
    if (!lease.ended) lease.left += unused;
    else if (known.lease?.generation === generation) known.lease.left += unused;
    else if (unused > 0 || known.inFlight === 0) void this.giveBack(known, generation, unused);
  }

  /** Ends the use of a lease by an insert whose result is unknown. */
  abandon(lease: QuotaLease): void {
    this.knownOf(lease.shape).isDoubtful = true;
    this.settle(lease, 0);
  }

  /**
   * Ends a lease whose insert of `count` records was not done: the generation of the lease has ended, or the collection
   * has another version. With another version the room still counts as used, so it is given back. For an ended
   * generation the database ignores that.
   */
  forget(lease: QuotaLease, count: number): void {
    const known = this.knownOf(lease.shape);
    const isCurrent = known.lease === lease;
    known.inFlight -= 1;
    lease.ended = true;
    if (isCurrent) known.lease = undefined;
    void this.giveBack(known, lease.generation, isCurrent ? lease.left + count : count);
  }

  /**
   * Resolves when the collection has room for `count` records, which other writers may still take first.
   * `removeExpired` removes some expired records. Throws 422 `CollectionFull`, or `Stale`.
   */
  async room(
    shape: CollectionShape,
    most: number,
    count: number,
    removeExpired: () => Promise<number>,
    until: Deadline = Infinity,
  ): Promise<void> {
    const known = this.knownOf(shape);
    const begun = performance.now();
    for (let recalled = false; ; ) {
      const [row] = await this.store.readPrimary(shape, roomStatement(shape), { until });
      const [used, isLeased, isDoubtful, hasExpired] = row as [number, boolean, boolean, boolean];
      if (used + count <= most) return;
      if (hasExpired && performance.now() < Math.min(begun + EXPIRY_WITHIN_MS, until)) {
        if ((await removeExpired()) === 0) await pause(LOOK_EVERY_MS);
        continue;
      }
      const mayWait = recalled
        ? performance.now() < Math.min(begun + RECALL_WITHIN_MS, until)
        : known.recallAfter <= begun;
      if (!mayWait || !(isLeased || isDoubtful)) throw full(used, most, count).proven();
      if (!recalled) {
        recalled = true;
        known.recallAfter = begun + RECALL_EVERY_MS;
        await this.recall(shape);
      }
      if (isDoubtful) void this.count(shape);
      await pause(LOOK_EVERY_MS);
    }
  }

  private knownOf(shape: CollectionShape): Known {
    let known = this.known.get(shape.id);
    if (known === undefined) {
      known = {
        shape,
        lease: undefined,
        renewal: undefined,
        exchange: Promise.resolve(),
        inFlight: 0,
        isDoubtful: false,
        exactUntil: 0,
        exactVersion: 0,
        recallAfter: 0,
        usedAt: performance.now(),
      };
      this.known.set(shape.id, known);
    }
    return known;
  }

  /** Runs one renewal of a collection at a time. Callers that waited for it try to use the new lease. */
  private async renewed(
    known: Known,
    shape: CollectionShape,
    most: number,
    count: number,
  ): Promise<QuotaLease | undefined> {
    for (;;) {
      known.renewal ??= this.renew(known, shape, most, count).finally(() => {
        known.renewal = undefined;
      });
      await known.renewal;
      if (known.exactUntil > performance.now()) return undefined;
      const lease = taken(known, shape, count);
      if (lease !== undefined) return lease;
    }
  }

  private renew(known: Known, shape: CollectionShape, most: number, wanted: number): Promise<void> {
    const former = known.lease;
    known.lease = undefined;
    known.shape = shape;
    if (former !== undefined) former.ended = true;
    return this.exchange(known, async () => {
      const { generation = 0, left: unused = 0 } = former ?? {};
      const inFlight = known.inFlight > 0;
      const request = { holder: this.holder, generation, unused, wanted, most, inFlight };
      const granted = this.notifications.isListening ? await this.request(shape, request) : undefined;
      if (granted !== undefined && granted[1] > 0) {
        known.lease = new QuotaLease(shape, ...granted);
        return;
      }
      known.exactUntil = performance.now() + EXACT_FOR_MS;
      known.exactVersion = shape.version;
    });
  }

  private async request(
    shape: CollectionShape,
    request: LeaseRequest,
  ): Promise<[generation: number, granted: number] | undefined> {
    try {
      return await this.write<[number, number]>(shape, leaseStatement(shape, request));
    } catch (error) {
      // Dropping an organization locks its tables in no fixed order, so a deadlock is possible.
      if (sqlState(error) === '40P01') return undefined;
      throw error;
    }
  }

  /** Gives the lease of a collection back: its unused room now, the rest when its inserts have ended. */
  private giveUp(id: string): Promise<void> {
    const known = this.known.get(id);
    if (known === undefined) return Promise.resolve();
    const { lease } = known;
    known.lease = undefined;
    if (lease !== undefined) lease.ended = true;
    if (lease === undefined && !known.isDoubtful) return Promise.resolve();
    return this.giveBack(known, lease?.generation ?? 0, lease?.left ?? 0);
  }

  /** Gives room back, and ends the lease unless inserts use it. */
  private giveBack(known: Known, generation: number, unused: number): Promise<void> {
    return this.exchange(known, async () => {
      const inFlight = known.inFlight > 0 || known.lease !== undefined;
      const { holder } = this;
      await this.write(known.shape, giveBackStatement(known.shape, { holder, generation, unused, inFlight }));
    }).catch(error => this.logger.debug(`a quota lease was not given back: ${(error as Error).message}`));
  }

  /**
   * Runs `work` after the exchanges before it. Work that failed may have been done, so room may be lost: see
   * `isDoubtful`.
   */
  private exchange(known: Known, work: () => Promise<void>): Promise<void> {
    const done = known.exchange.then(async () => {
      if (known.isDoubtful) await this.write(known.shape, leftBehindStatement(known.shape));
      known.isDoubtful = false;
      try {
        await work();
      } catch (error) {
        known.isDoubtful = true;
        throw error;
      }
    });
    known.exchange = done.catch(() => undefined);
    return done;
  }

  /** Undefined when the collection has changed. */
  private write<Values extends readonly unknown[]>(
    shape: CollectionShape,
    statement: Statement,
  ): Promise<Values | undefined> {
    return this.store.write<Values>(shape, statement).catch(ifStale(() => undefined));
  }

  private async recall({ id }: CollectionShape): Promise<void> {
    await this.giveUp(id);
    await this.source.query('SELECT pg_notify($1, $2)', ['quota.recalled', JSON.stringify({ ids: [id] })]);
  }

  /** Starts a count unless this instance is counting already. */
  private count(shape: CollectionShape): void {
    if (this.counts.has(shape.id)) return;
    const count = countRecords(this.source, this.transactions, shape)
      .catch(error => {
        if (!isStale(error)) this.logger.warn(`records were not counted: ${(error as Error).message}`);
      })
      .finally(() => this.counts.delete(shape.id));
    this.counts.set(shape.id, count);
  }

  /** Gives back unused leases, extends leases with inserts in flight, and forgets collections without use. */
  private sweep(): void {
    const idleSince = performance.now() - USED_FOR_MS;
    for (const [id, known] of this.known) {
      const { lease, inFlight, usedAt, isDoubtful } = known;
      if (inFlight > 0) void this.giveBack(known, 0, 0);
      else if (usedAt < idleSince && (lease !== undefined || isDoubtful)) void this.giveUp(id);
      else if (usedAt < idleSince) this.known.delete(id);
    }
  }
}

/** The quota for the statement of an insert, with or without a lease. */
export function quotaOf(lease: QuotaLease | undefined, records: number, most: number): Quota {
  return lease === undefined ? { records, most } : lease;
}

function taken(known: Known, shape: CollectionShape, count: number): QuotaLease | undefined {
  const { lease } = known;
  if (lease === undefined || lease.left < count || lease.shape.version !== shape.version) return undefined;
  if (lease.since + USED_FOR_MS < known.usedAt) return undefined;
  lease.left -= count;
  known.inFlight += 1;
  return lease;
}

function full(used: number, most: number, count: number): PlatformError {
  return new PlatformError(
    'CollectionFull',
    `The collection holds ${used} records of at most ${most}, so ${count} more do not fit. Delete records or raise settings.max_records.`,
    { max_records: most, records: used, requested: count },
  );
}
