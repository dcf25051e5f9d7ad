import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { Collection } from '../collections/collection.entity.js';
import { earliestKept } from '../collections/kept-history.js';
import { JobWalks } from '../database/job-walks.js';
import { execute } from '../database/queryable.js';
import { Clock } from '../kernel/clock.js';
import { pruneInsertedIds } from '../storage/history/inserted-ids.js';
import { measureVersions, storeMeasured } from '../storage/history/measure-versions.js';
import { PRUNED_AT_ONCE, pruneStatement } from '../storage/history/prune-versions.js';
import { ifStale } from '../storage/stale.js';
import { TableAccess } from '../storage/table-access.js';

/** Versions stay for so long after the end of their time, because reads that were admitted before may still need them. */
const SPARE_MS = 60_000;

/** Removes versions that are older than the `history_days` of their collection. Then measures what is left. */
@Injectable()
export class VersionPruning {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly walks: JobWalks,
    private readonly tables: TableAccess,
    private readonly clock: Clock,
  ) {}

  /** Handles all organizations in batches. Stops early after `signal`. */
  async removeOld(signal: AbortSignal): Promise<{ versions: number }> {
    const counts = { versions: 0 };
    const orgs: { id: string }[] = await this.source.query('SELECT id FROM orgs WHERE deleted_at IS NULL');
    await this.walks.each('remove-versions', orgs, signal, ({ id }) =>
      // The organization may have been deleted in the meantime.
      this.removeOfOrg(id, signal, counts).catch(ifStale(() => undefined)),
    );
    return counts;
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
      const earliest = collection && earliestKept(collection, this.clock.now());
      if (!earliest) continue;
      const endedBefore = new Date(earliest.getTime() - SPARE_MS);
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
