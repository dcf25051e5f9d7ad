import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Settings } from '../config/settings.js';
import { JobWalks } from '../database/job-walks.js';
import { sqlState } from '../kernel/sql-state.js';
import { endFeed } from '../storage/change-feed.js';
import {
  askedStatement,
  keptFeedsStatement,
  PRUNED_AT_ONCE,
  pruneStatement,
} from '../storage/change-pruning.js';
import { LOCK_WITHIN } from '../storage/giving-way.js';
import { isStale } from '../storage/stale.js';

/** A feed that nobody has asked for in this time ends, and writing costs what it cost before. */
const IDLE_DAYS = 30;
/** Deliveries removed by one statement. */
const BATCH = 1_000;

interface KeptFeed {
  readonly id: string;
  readonly followed: boolean;
  readonly unused: boolean;
}

/** Removes changes and deliveries whose time is over, and feeds that nobody uses. */
@Injectable()
export class ChangePruning {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly settings: Settings,
    private readonly walks: JobWalks,
  ) {}

  /** Of all organizations, in batches; ends early when `signal` is aborted. */
  async removeOld(signal: AbortSignal): Promise<{ changes: number; feeds: number; deliveries: number }> {
    const counts = { changes: 0, feeds: 0, deliveries: await this.removeDeliveries(signal) };
    const orgs: { id: string }[] = await this.source.query('SELECT id FROM orgs WHERE deleted_at IS NULL');
    await this.walks.each('remove-changes', orgs, signal, ({ id }) =>
      this.removeOfOrg(id, signal, counts).catch(error => {
        // The organization has gone since.
        if (!isStale(error)) throw error;
      }),
    );
    return counts;
  }

  private async removeOfOrg(
    orgId: string,
    signal: AbortSignal,
    counts: { changes: number; feeds: number },
  ): Promise<void> {
    await this.keepUsed(orgId);
    const { text, values } = keptFeedsStatement(orgId, IDLE_DAYS);
    const feeds: KeptFeed[] = await this.source.query(text, values);
    for (const { id, followed, unused } of feeds) {
      const ended = unused && (await this.end(orgId, id));
      if (ended) counts.feeds += 1;
      const hours = followed && !ended ? this.settings.CHANGES_RETENTION_HOURS : 0;
      const pruned = await this.prune(orgId, id, hours, signal);
      counts.changes += pruned;
    }
  }

  /** A webhook uses its feed, even while it is switched off. */
  private async keepUsed(orgId: string): Promise<void> {
    const used: { id: string }[] = await this.source.query(
      'SELECT DISTINCT collection_id AS id FROM webhooks WHERE org_id = $1',
      [orgId],
    );
    if (used.length === 0) return;
    const { text, values } = askedStatement(
      orgId,
      used.map(({ id }) => id),
    );
    await this.source.query(text, values);
  }

  /** False when somebody is writing for so long that it has to wait for the next run. */
  private async end(orgId: string, id: string): Promise<boolean> {
    try {
      await this.source.transaction(async manager => {
        await manager.query(LOCK_WITHIN);
        // The schema stands still meanwhile.
        await manager.query('SELECT FROM collections WHERE id = $1 FOR UPDATE', [id]);
        await endFeed(manager, { id, orgId });
      });
      return true;
    } catch (error) {
      if (sqlState(error) !== '55P03') throw error;
      return false;
    }
  }

  private async prune(orgId: string, id: string, hours: number, signal: AbortSignal): Promise<number> {
    const { text, values } = pruneStatement(orgId, id, hours);
    for (let total = 0; ; ) {
      const [{ removed }] = await this.source.query(text, values);
      total += removed;
      if (removed < PRUNED_AT_ONCE || signal.aborted) return total;
    }
  }

  private async removeDeliveries(signal: AbortSignal): Promise<number> {
    for (let total = 0; ; ) {
      const [, removed]: [unknown, number] = await this.source.query(
        `DELETE FROM webhook_deliveries WHERE id IN (
           SELECT id FROM webhook_deliveries WHERE created_at < now() - make_interval(days => $1) LIMIT ${BATCH})`,
        [this.settings.WEBHOOK_RETENTION_DAYS],
      );
      total += removed;
      if (removed < BATCH || signal.aborted) return total;
    }
  }
}
