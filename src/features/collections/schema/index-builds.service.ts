import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { Repository } from 'typeorm';
import { type Call, platformCall } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { isUniqueViolation, sqlState } from '../../../base/kernel/sql-state.js';
import type { IndexSet } from '../../../engine/storage/collection-shape.js';
import { PROGRAM_LIMIT } from '../../../engine/storage/query-refusal.js';
import {
  buildIndexes,
  dropOtherIndexes,
  duplicates,
  longValues,
  wholeIndexes,
} from '../../../engine/storage/table/index-build.js';
import { IndexBuildSessions } from '../../../engine/storage/table/index-build-session.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import type { Queryable } from '../../../platform/database/queryable.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { claimKey, idempotently } from '../../../platform/idempotency/stored-responses.js';
import { Collection } from '../collection.entity.js';
import type { Access } from '../collection-access.js';
import { collectionEvent } from '../collection-event.js';
import { CollectionExpiry } from '../collection-expiry.service.js';
import { hasRight } from '../collection-rights.js';
import { lockCollection, lockSettled, schemaIsChanged } from '../locked-collection.js';
import { requireBuildable } from './index-kinds.js';
import { differences, sameSet } from './index-sets.js';
import { parseIndexes } from './parse-schema.js';
import { type AppliedIndexesView, type ApplyIndexesBody, indexSetView } from './schema.dto.js';
import { alterRefusal, duplicatesRefusal, longValuesRefusal, withoutValues } from './schema-refusals.js';

/** A build that failed because of duplicates is retried when these have expired or were deleted. */
const MAX_ATTEMPTS = 3;

/**
 * Builds indexes and unique constraints concurrently with reads and writes. The wanted set and the status `building` are
 * committed first, `ready` and the audit event last. When an instance is killed in between, the next start of an
 * instance or run of the job finishes the build.
 */
@Injectable()
export class IndexBuilds implements OnApplicationBootstrap {
  private readonly logger = new Logger(IndexBuilds.name);

  constructor(
    @InjectRepository(Collection) private readonly collections: Repository<Collection>,
    private readonly transactions: Transactions,
    private readonly sessions: IndexBuildSessions,
    private readonly expiry: CollectionExpiry,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  /** Refusals name equal values only to callers who may read them. */
  async apply(call: Call, access: Access, body: ApplyIndexesBody): Promise<AppliedIndexesView> {
    try {
      return await this.applied(call, access, body);
    } catch (error) {
      throw hasRight(access, 'read') ? error : withoutValues(error);
    }
  }

  private async applied(call: Call, access: Access, body: ApplyIndexesBody): Promise<AppliedIndexesView> {
    const { collection } = access;
    if (body.dry_run) return this.preview(collection, body);
    const wanted = parseSet(collection, body);
    if (collection.status === 'building') throw schemaIsChanged();
    if (sameSet(collection, wanted)) return this.leave(call, collection);
    const done = await this.sessions.run(collection, async connection => {
      // Before the collection is locked, because it may read all records.
      await requireBuildable(connection, collection, wanted.indexes, body);
      await call.rights?.renewIfOld();
      const { before, after } = await this.begin(call, access, body);
      await this.buildOrRestore(connection, after, before);
      await dropOtherIndexes(connection, after, after);
      return this.finish(call, after, before);
    });
    if (done === undefined) throw schemaIsChanged();
    return done;
  }

  /** Runs in the background, so that the start of the service does not wait for it. */
  onApplicationBootstrap(): void {
    this.resumeAbandoned();
  }

  /**
   * Starts to finish abandoned builds and returns at once. A job must not wait for them: a build may take longer
   * than the time between two runs of the job.
   */
  resumeAbandoned(): void {
    this.finishAbandoned().catch(error => this.logger.warn(`half-built indexes: ${error.message}`));
  }

  /** Finishes builds that an instance has left unfinished, or removes indexes that cannot be built. */
  async finishAbandoned(): Promise<{ finished: number; removed: number }> {
    const counts = { finished: 0, removed: 0 };
    const abandoned = await this.collections
      .createQueryBuilder('c')
      .select(['c.id', 'c.orgId'])
      .where(
        "c.status = 'building' AND NOT EXISTS (SELECT FROM schema_changes s WHERE s.collection_id = c.id AND s.phase <> 'failed')",
      )
      .getMany();
    for (const collection of abandoned) {
      const resume = (connection: Queryable) => this.resume(connection, collection.id);
      // When too many builds are running, the next run of the job tries again.
      const outcome = await this.sessions.run(collection, resume).catch(unlessBusy);
      if (outcome !== undefined && outcome !== 'nothing') counts[outcome] += 1;
    }
    return counts;
  }

  private async preview(collection: Collection, body: ApplyIndexesBody): Promise<AppliedIndexesView> {
    const wanted = parseSet(collection, body);
    const { created, dropped } = differences(collection, wanted);
    const broken = await this.transactions.run(async manager => {
      await requireBuildable(manager, collection, wanted.indexes, body);
      return duplicates(manager, collection, created.uniques);
    });
    if (broken.length > 0) throw duplicatesRefusal(broken);
    return {
      applied: false,
      dry_run: true,
      collection_id: collection.id,
      ...indexSetView(wanted),
      created: indexSetView(created),
      dropped: indexSetView(dropped),
    };
  }

  /** The wanted indexes exist already. The response is stored, so that a retry gets it even if the indexes change. */
  private async leave(call: Call, collection: Collection): Promise<AppliedIndexesView> {
    const answer = applied(collection);
    if (call.retry === undefined) return answer;
    return this.transactions.run(manager => idempotently(manager, call, async () => answer));
  }

  /** Commits the wanted set. The new version makes all writers apply it. */
  private begin(
    call: Call,
    access: Access,
    body: ApplyIndexesBody,
  ): Promise<{ before: Collection; after: Collection }> {
    return this.transactions.run(async manager => {
      await claimKey(manager, call);
      const before = await lockSettled(manager, access);
      const wanted = parseSet(before, body);
      const change = { ...wanted, status: 'building' as const, version: before.version + 1 };
      await manager.update(Collection, { id: before.id }, change);
      return { before, after: Object.assign(new Collection(), before, change) };
    });
  }

  private async buildOrRestore(connection: Queryable, after: Collection, former: IndexSet): Promise<void> {
    try {
      await this.build(connection, after, after);
    } catch (error) {
      if (isCutOff(error)) throw error;
      await this.restore(after.id, former);
      throw alterRefusal(error);
    }
  }

  /**
   * Builds the indexes of a set that the collection's table lacks. Throws 422 when records have equal values where they
   * must not, or values that are too long.
   */
  async build(connection: Queryable, collection: Collection, set: IndexSet): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await this.transactions.run(manager => this.expiry.purge(manager, collection));
      try {
        return await buildIndexes(connection, collection, set);
      } catch (error) {
        if (sqlState(error) === PROGRAM_LIMIT)
          throw longValuesRefusal(await longValues(connection, collection, set)) ?? error;
        if (!isUniqueViolation(error)) throw error;
        const broken = await duplicates(connection, collection, set.uniques);
        if (broken.length > 0 || attempt === MAX_ATTEMPTS) throw duplicatesRefusal(broken);
      }
    }
  }

  private async finish(call: Call, { id }: Collection, before: IndexSet): Promise<AppliedIndexesView> {
    return this.transactions.run(manager =>
      idempotently(manager, call, async () => {
        const row = await lockCollection(manager, id);
        const change = { status: 'ready' as const, version: row.version + 1, updatedAt: this.clock.now() };
        await manager.update(Collection, { id }, change);
        const changes = { before: indexSetView(before), after: indexSetView(row) };
        const event = collectionEvent('collections.indexes.applied', row, { changes });
        await this.audit.record(manager, call, row.orgId, event);
        return applied(row);
      }),
    );
  }

  private restore(id: string, { indexes, uniques }: IndexSet): Promise<void> {
    return this.transactions.run(async manager => {
      const { version } = await lockCollection(manager, id);
      const change = {
        indexes: [...indexes],
        uniques: [...uniques],
        status: 'ready' as const,
        version: version + 1,
      };
      await manager.update(Collection, { id }, change);
    });
  }

  /**
   * The former set is not stored. When the wanted one cannot be built, the collection keeps the indexes that are
   * complete.
   */
  private async resume(connection: Queryable, id: string): Promise<'finished' | 'removed' | 'nothing'> {
    const collection = await this.collections.findOneBy({ id });
    if (collection?.status !== 'building') return 'nothing';
    const before = await wholeIndexes(connection, collection);
    try {
      await this.build(connection, collection, collection);
    } catch (error) {
      if (isCutOff(error)) throw error;
      this.logger.warn(`indexes of collection ${id} could not be built: ${(error as Error).message}`);
      await dropOtherIndexes(connection, collection, before);
      await this.restore(id, before);
      return 'removed';
    }
    await dropOtherIndexes(connection, collection, collection);
    await this.finish(platformCall('job'), collection, before);
    return 'finished';
  }
}

function unlessBusy(error: unknown): undefined {
  if ((error as PlatformError).code !== 'Unavailable') throw error;
}

/**
 * True when the build lost its connection, so that it could not undo its work. The next start or run of the job does.
 */
export function isCutOff(error: unknown): boolean {
  if (error instanceof PlatformError) return false;
  return /^(08|57P|58)/.test(sqlState(error) ?? '08');
}

function parseSet({ columns }: Collection, { indexes, uniques }: ApplyIndexesBody) {
  if (indexes === undefined && uniques === undefined) {
    throw invalid(
      'indexes, uniques: send at least one of them, with the complete list; an empty list drops all',
    );
  }
  return {
    indexes: parseIndexes('indexes', indexes, columns),
    uniques: parseIndexes('uniques', uniques, columns),
  };
}

function applied(collection: Collection): AppliedIndexesView {
  return { applied: true, collection_id: collection.id, ...indexSetView(collection) };
}
