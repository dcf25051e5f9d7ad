import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { inBatches } from '../../base/kernel/bounds/batches.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { newId } from '../../base/kernel/id.js';
import { sqlState } from '../../base/kernel/sql-state.js';
import { param, type Sql, sql } from '../../base/sql/index.js';
import {
  askedStatement,
  beginFeed,
  endFeed,
  feedsTable,
  hasChangesOrIdleFeeds,
  isFollowed,
  keepChanges,
  keptFeedsStatement,
  PRUNED_AT_ONCE,
  pruneStatement,
} from '../../engine/storage/changes/change-feed.js';
import { NOTES_REMOVED_AT_ONCE, REMOVE_NOTES } from '../../engine/storage/changes/change-notes.js';
import { type FeedState, frontierStatement } from '../../engine/storage/changes/frontier.js';
import { type CollectionShape, wholeOf } from '../../engine/storage/collection-shape.js';
import { RecordStore } from '../../engine/storage/record-store.js';
import { ifStale, Stale } from '../../engine/storage/stale.js';
import { TableAccess } from '../../engine/storage/table-access.js';
import { retryLockConflicts, TABLE_LOCKS } from '../../engine/storage/table-lock.js';
import { Settings } from '../../platform/config/settings.js';
import { JobProbes } from '../../platform/database/job-probes.js';
import { JobWalks } from '../../platform/database/job-walks.js';
import { execute } from '../../platform/database/queryable.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Collection } from '../collections/collection.entity.js';

/** Feeds of collections. A feed begins with the first request for it. */
@Injectable()
export class ChangeFeeds {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly transactions: Transactions,
    private readonly store: RecordStore,
    private readonly tables: TableAccess,
  ) {}

  /** The state of the feed, which begins if there is none. Throws `Stale` when the collection has changed. */
  async frontier(collection: Collection): Promise<FeedState> {
    if (this.tables.noChanges !== undefined) throw new PlatformError('Conflict', this.tables.noChanges);
    const state = await this.store.readPrimary(collection, frontierStatement(collection));
    if (state === undefined) {
      await this.begin(collection);
      return this.frontier(collection);
    }
    if (state.isEarlier) await this.renewTriggers(collection);
    // The feed may have ended since the statement.
    if (state.isIdle && !(await this.asked(collection))) return this.frontier(collection);
    return state;
  }

  /**
   * Waits for running writes with short lock timeouts and retries, so that it does not block new ones. Fails with
   * 55P03.
   */
  private begin(collection: Collection): Promise<void> {
    return retryLockConflicts(() =>
      this.transactions.run(TABLE_LOCKS, async manager => {
        const unchanged = await manager.query(
          'SELECT FROM collections WHERE id = $1 AND version = $2 FOR SHARE',
          [collection.id, collection.version],
        );
        if (unchanged.length === 0) throw new Stale();
        // The triggers record everything, whatever the first reader sees.
        await beginFeed(manager, wholeOf<CollectionShape>(collection), newId());
      }),
    );
  }

  /**
   * Replaces triggers of an earlier version. While long writes hold the table, they stay, and the next read tries again:
   * until then, nobody is told what a record was before an update.
   */
  private async renewTriggers(collection: Collection): Promise<void> {
    try {
      await this.transactions.run(TABLE_LOCKS, async manager => {
        const unchanged = await manager.query(
          'SELECT FROM collections WHERE id = $1 AND version = $2 FOR NO KEY UPDATE',
          [collection.id, collection.version],
        );
        const whole = wholeOf<CollectionShape>(collection);
        if (unchanged.length > 0 && (await isFollowed(manager, whole))) await keepChanges(manager, whole);
      });
    } catch (error) {
      if (sqlState(error) !== '55P03') throw error;
    }
  }

  /** False when there is no feed. */
  private async asked({ id, orgId }: Collection): Promise<boolean> {
    const [, renewed]: [unknown, number] = await execute(this.source, askedStatement(orgId, [id]));
    return renewed > 0;
  }
}

/** A feed without a request in this time ends, so that writes are as fast as without it. */
const IDLE_DAYS = 30;
/** Number of deliveries that one statement removes. */
const BATCH = 1_000;

/** Locks the feed of a collection if it is still unused. One row if it is, else no row. */
function unusedStatement(orgId: string, collectionId: string): Sql {
  return sql`
    SELECT FROM ${feedsTable(orgId)} f
    WHERE f.collection_id = ${param(collectionId, 'uuid')}
      AND f.asked_at < now() - make_interval(days => ${param(IDLE_DAYS, 'integer')})
      AND NOT EXISTS (SELECT FROM public.webhooks w WHERE w.collection_id = f.collection_id)
    FOR UPDATE OF f`;
}

interface KeptFeed {
  readonly id: string;
  readonly followed: boolean;
  readonly unused: boolean;
}

/** Removes expired changes and deliveries, and unused feeds. */
@Injectable()
export class ChangePruning {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly transactions: Transactions,
    private readonly settings: Settings,
    private readonly probes: JobProbes,
    private readonly walks: JobWalks,
  ) {}

  /** Handles all organizations in batches, and first the notes of all. Stops early after `signal`. */
  async removeOld(signal: AbortSignal): Promise<{ changes: number; feeds: number; deliveries: number }> {
    const counts = { changes: 0, feeds: 0, deliveries: await this.removeDeliveries(signal) };
    await inBatches(NOTES_REMOVED_AT_ONCE, signal, async () => (await execute(this.source, REMOVE_NOTES))[1]);
    const orgs = await this.probes.orgs(signal, hasChangesOrIdleFeeds);
    await this.walks.each('remove-changes', orgs, signal, ({ id }) =>
      // The organization may have been deleted in the meantime.
      this.removeOfOrg(id, signal, counts).catch(ifStale(() => undefined)),
    );
    return counts;
  }

  private async removeOfOrg(
    orgId: string,
    signal: AbortSignal,
    counts: { changes: number; feeds: number },
  ): Promise<void> {
    await this.keepUsed(orgId);
    const feeds: KeptFeed[] = await execute(this.source, keptFeedsStatement(orgId, IDLE_DAYS));
    for (const { id, followed, unused } of feeds) {
      const ended = unused && (await this.end(orgId, id));
      if (ended) counts.feeds += 1;
      const hours = followed && !ended ? this.settings.CHANGES_RETENTION_HOURS : 0;
      const pruned = await this.prune(orgId, id, hours, signal);
      counts.changes += pruned;
    }
  }

  /** Marks the feeds of webhooks as used, also those of inactive webhooks. */
  private async keepUsed(orgId: string): Promise<void> {
    const used: { id: string }[] = await this.source.query(
      'SELECT DISTINCT collection_id AS id FROM webhooks WHERE org_id = $1',
      [orgId],
    );
    if (used.length === 0) return;
    const asked = askedStatement(
      orgId,
      used.map(({ id }) => id),
    );
    await execute(this.source, asked);
  }

  /**
   * False when the feed is in use again, or when the lock could not be taken because of long writes. The next run tries
   * again.
   */
  private async end(orgId: string, id: string): Promise<boolean> {
    try {
      return await this.transactions.run(TABLE_LOCKS, async manager => {
        // Keeps the schema unchanged until the feed has ended.
        await manager.query('SELECT FROM collections WHERE id = $1 FOR UPDATE', [id]);
        const unused = await execute(manager, unusedStatement(orgId, id));
        if (unused.length === 0) return false;
        await endFeed(manager, { id, orgId });
        return true;
      });
    } catch (error) {
      if (sqlState(error) !== '55P03') throw error;
      return false;
    }
  }

  private async prune(orgId: string, id: string, hours: number, signal: AbortSignal): Promise<number> {
    const prune = pruneStatement(orgId, id, hours);
    return inBatches(PRUNED_AT_ONCE, signal, async () => (await execute(this.source, prune))[0].removed);
  }

  private async removeDeliveries(signal: AbortSignal): Promise<number> {
    return inBatches(BATCH, signal, async () => {
      const [, removed]: [unknown, number] = await this.source.query(
        `DELETE FROM webhook_deliveries WHERE id IN (
           SELECT id FROM webhook_deliveries WHERE created_at < now() - make_interval(days => $1) LIMIT ${BATCH})`,
        [this.settings.WEBHOOK_RETENTION_DAYS],
      );
      return removed;
    });
  }
}
