import { setTimeout as pause } from 'node:timers/promises';
import { type BeforeApplicationShutdown, Injectable, Logger, type OnModuleInit } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import type { Deadline } from '../../../base/kernel/bounds/deadline.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { newId } from '../../../base/kernel/id.js';
import { Notifications } from '../../../platform/database/notifications.js';
import { Transactions } from '../../../platform/database/transactions.js';
import type { CollectionShape } from '../collection-shape.js';
import { RecordStore } from '../record-store.js';
import { isStale } from '../stale.js';
import { TableStatistics } from '../table/table-statistics.service.js';
import { CollectionLeases, type LeaseHolder } from './collection-leases.js';
import { capacityStatement } from './quota.js';
import { countRecords } from './quota-count.js';
import type { QuotaLease } from './quota-lease.js';

const SWEEP_EVERY_MS = 10_000;
/** Maximum wait for capacity that other instances hold, and the time until the next such wait is allowed. */
const RECALL_WITHIN_MS = 1_000;
const RECALL_EVERY_MS = 5_000;
const LOOK_EVERY_MS = 20;
/** Maximum time for which an insert waits while expired records are removed. */
const EXPIRY_WITHIN_MS = 5_000;

/**
 * Keeps `max_records` exact without making writers wait for each other. The quota of a collection counts its records
 * and the capacity that is leased to instances. Far from the limit an instance leases capacity ahead of use, so that an insert
 * does not read the quota. Near the limit inserts take capacity from the quota in their own statement. Deletes give capacity
 * back.
 */
@Injectable()
export class QuotaLeases implements OnModuleInit, BeforeApplicationShutdown {
  private readonly logger = new Logger(QuotaLeases.name);
  private readonly holder: LeaseHolder;
  // biome-ignore lint/plugin/bounded-maps: collections that were written to in the last minutes
  private readonly leases = new Map<string, CollectionLeases>();
  /** When, by `performance.now()`, leases of a collection may be recalled again. */
  // biome-ignore lint/plugin/bounded-maps: collections that were near their limit in the last seconds
  private readonly recallableAt = new Map<string, number>();
  // biome-ignore lint/plugin/bounded-maps: requests in progress
  private readonly counts = new Map<string, Promise<unknown>>();
  private sweeper: NodeJS.Timeout | undefined;

  constructor(
    private readonly store: RecordStore,
    private readonly notifications: Notifications,
    @InjectDataSource() private readonly source: DataSource,
    private readonly transactions: Transactions,
    private readonly statistics: TableStatistics,
  ) {
    this.holder = { store, notifications, logger: this.logger, id: newId() };
  }

  onModuleInit(): void {
    this.notifications.subscribe('quota.recalled', ids => {
      const recalled = ids === 'all' ? [...this.leases.keys()] : ids;
      for (const id of recalled) void this.leases.get(id)?.giveUp();
    });
    this.sweeper = setInterval(() => this.sweep(), SWEEP_EVERY_MS).unref();
  }

  async beforeApplicationShutdown(): Promise<void> {
    clearInterval(this.sweeper);
    await Promise.all([...this.leases.values()].map(leases => leases.giveUp()));
  }

  /**
   * Capacity for `count` records: a lease, whose use the caller ends with the insert, or undefined when the
   * insert has to take capacity from the quota itself. Waits for the database only when the lease must be renewed.
   */
  lease(
    shape: CollectionShape,
    most: number,
    count: number,
  ): QuotaLease | undefined | Promise<QuotaLease | undefined> {
    this.statistics.grew(shape, count);
    let leases = this.leases.get(shape.id);
    if (leases === undefined) {
      leases = new CollectionLeases(this.holder, shape);
      this.leases.set(shape.id, leases);
    }
    return leases.take(shape, most, count);
  }

  /**
   * Resolves when the collection has capacity for `count` records, which other writers may still take first.
   * `removeExpired` removes some expired records. Throws 422 `CollectionFull`, or `Stale`.
   */
  async waitForCapacity(
    shape: CollectionShape,
    most: number,
    count: number,
    removeExpired: () => Promise<number>,
    until: Deadline = Infinity,
  ): Promise<void> {
    const begun = performance.now();
    for (let recalled = false; ; ) {
      const capacity = await this.store.readPrimary(shape, capacityStatement(shape), { until });
      const { used, isLeased, isDoubtful, hasExpired } = capacity;
      if (used + count <= most) return;
      if (hasExpired && performance.now() < Math.min(begun + EXPIRY_WITHIN_MS, until)) {
        if ((await removeExpired()) === 0) await pause(LOOK_EVERY_MS);
        continue;
      }
      const mayWait = recalled
        ? performance.now() < Math.min(begun + RECALL_WITHIN_MS, until)
        : (this.recallableAt.get(shape.id) ?? 0) <= begun;
      if (!mayWait || !(isLeased || isDoubtful)) throw full(used, most, count).proven();
      if (!recalled) {
        recalled = true;
        this.recallableAt.set(shape.id, begun + RECALL_EVERY_MS);
        await this.recall(shape);
      }
      if (isDoubtful) void this.count(shape);
      await pause(LOOK_EVERY_MS);
    }
  }

  private async recall({ id }: CollectionShape): Promise<void> {
    await this.leases.get(id)?.giveUp();
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
    for (const [id, leases] of this.leases) if (!leases.sweep()) this.leases.delete(id);
    const now = performance.now();
    for (const [id, at] of this.recallableAt) if (at <= now) this.recallableAt.delete(id);
  }
}

function full(used: number, most: number, count: number): PlatformError {
  return new PlatformError(
    'CollectionFull',
    `The collection holds ${used} records of at most ${most}, so ${count} more do not fit. Delete records or raise settings.max_records.`,
    { max_records: most, records: used, requested: count },
  );
}
