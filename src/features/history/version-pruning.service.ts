import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, IsNull, MoreThan, Not } from 'typeorm';
import { Clock } from '../../base/kernel/clock.js';
import { type Sql, sql } from '../../base/sql/index.js';
import { insertedIdsTable, pruneInsertedIds } from '../../engine/storage/history/inserted-ids.js';
import {
  hasOtherSize,
  measureVersions,
  storeMeasured,
} from '../../engine/storage/history/measure-versions.js';
import {
  hasVersionsBefore,
  PRUNED_AT_ONCE,
  pruneStatement,
} from '../../engine/storage/history/prune-versions.js';
import { ifStale } from '../../engine/storage/stale.js';
import { TableAccess } from '../../engine/storage/table-access.js';
import { JobProbes } from '../../platform/database/job-probes.js';
import { JobWalks } from '../../platform/database/job-walks.js';
import { execute } from '../../platform/database/queryable.js';
import { Collection } from '../collections/collection.entity.js';
import { earliestKept } from '../collections/kept-history.js';

/** Versions stay for so long after the end of their time, because reads that were admitted before may still need them. */
const SPARE_MS = 60_000;
/** Collections that one statement checks. */
const PAGE = 200;
const FIRST = '00000000-0000-0000-0000-000000000000';

/** Removes versions that are older than the `history_days` of their collection. Then measures what is left. */
@Injectable()
export class VersionPruning {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly probes: JobProbes,
    private readonly walks: JobWalks,
    private readonly tables: TableAccess,
    private readonly clock: Clock,
  ) {}

  /** Handles all organizations in batches. Stops early after `signal`. */
  async removeOld(signal: AbortSignal): Promise<{ versions: number }> {
    const counts = { versions: 0 };
    await this.walks.each('remove-versions', await this.orgsWithWork(signal), signal, ({ id }) =>
      // The organization may have been deleted in the meantime.
      this.removeOfOrg(id, signal, counts).catch(ifStale(() => undefined)),
    );
    return counts;
  }

  /** Organizations with something to remove, or with a history that has another size than at the last run. */
  private async orgsWithWork(signal: AbortSignal): Promise<{ id: string }[]> {
    const orgs = await this.probes.orgs(signal, id => sql`EXISTS (SELECT FROM ${insertedIdsTable(id)})`);
    // Else these are all organizations.
    if (!this.tables.hasStatistics) return orgs;
    const ids = new Set(orgs.map(({ id }) => id));
    for (let after = FIRST, isMore = true; isMore && !signal.aborted; ) {
      const page = await this.histories(after);
      for (const { orgId } of await this.probes.among(page, collection => this.hasWork(collection)))
        ids.add(orgId);
      isMore = page.length === PAGE;
      after = page.at(-1)?.id ?? after;
    }
    return [...ids].map(id => ({ id }));
  }

  /** Collections that have a history, or whose history has ended since it was measured. Not those in the trash. */
  private histories(after: string): Promise<Collection[]> {
    const id = MoreThan(after);
    return this.source.manager.find(Collection, {
      select: { id: true, orgId: true, settings: true, historySince: true, historyBytes: true },
      where: [
        { id, historySince: Not(IsNull()) },
        { id, historyBytes: MoreThan(0) },
      ],
      order: { id: 'ASC' },
      take: PAGE,
    });
  }

  private hasWork(collection: Collection): Sql {
    const endedBefore = this.endedBefore(collection);
    return endedBefore === undefined
      ? sql`true`
      : sql`${hasVersionsBefore(collection, endedBefore)} OR ${hasOtherSize(collection, collection.historyBytes)}`;
  }

  /** Versions that ended before are removed. Undefined when the collection keeps no history. */
  private endedBefore(collection: Collection): Date | undefined {
    const earliest = earliestKept(collection, this.clock.now());
    return earliest && new Date(earliest.getTime() - SPARE_MS);
  }

  private async removeOfOrg(orgId: string, signal: AbortSignal, counts: { versions: number }): Promise<void> {
    const { source, tables } = this;
    const stored = await tables.onServerAlone(source, { orgId }, async server => {
      await pruneInsertedIds(source, server, orgId);
      return measureVersions(server, orgId);
    });
    for (const { id } of stored.filter(({ bytes }) => bytes > 0)) {
      // The table of a collection in the trash has another name. Its versions are removed with it, or once it is back.
      const collection = await source.manager.findOneBy(Collection, { id });
      const endedBefore = collection && this.endedBefore(collection);
      if (!endedBefore) continue;
      // The history may have been switched off in the meantime.
      await this.prune(collection, endedBefore, signal, counts).catch(ifStale(() => undefined));
    }
    if (signal.aborted) return;
    const left = await tables.onServerAlone(source, { orgId }, server => measureVersions(server, orgId));
    await storeMeasured(source, orgId, left);
  }

  private async prune(
    collection: Collection,
    endedBefore: Date,
    signal: AbortSignal,
    counts: { versions: number },
  ): Promise<void> {
    const statement = pruneStatement(collection, endedBefore);
    for (let isMore = true; isMore && !signal.aborted; ) {
      const [{ examined, removed }] = await this.tables.onServerAlone(this.source, collection, server =>
        execute(server, statement),
      );
      counts.versions += removed;
      isMore = examined === PRUNED_AT_ONCE;
    }
  }
}
