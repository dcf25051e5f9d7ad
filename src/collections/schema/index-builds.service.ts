import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, Repository } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import type { Queryable } from '../../database/queryable.js';
import { answerOnce, claimKey } from '../../idempotency/kept-answer.js';
import type { Call } from '../../kernel/call.js';
import { Clock } from '../../kernel/clock.js';
import { invalid, PlatformError } from '../../kernel/errors.js';
import { platformCall } from '../../kernel/platform-call.js';
import { sqlState } from '../../kernel/sql-state.js';
import {
  buildIndexes,
  dropOtherIndexes,
  duplicates,
  type IndexSet,
  wholeIndexes,
} from '../../storage/index-build.js';
import { IndexBuildSessions } from '../../storage/index-build-session.js';
import { Collection } from '../collection.entity.js';
import { type Access, collectionNotFound } from '../collection-access.js';
import { parseIndexes } from '../schema.js';
import { differences, sameSet } from './index-set.js';
import { building, lockSettled } from './locked-collection.js';
import { RecordRemains } from './record-remains.service.js';
import type { AppliedIndexesView, ApplyIndexesBody } from './schema.dto.js';
import { alterRefusal, duplicatesRefusal } from './schema-refusals.js';
import { indexSetView } from './schema-view.js';

/** Duplicates that are gone when they are looked for have expired or were deleted: then the build is run again. */
const MAX_ATTEMPTS = 3;

/**
 * Indexes and uniques, built while readers and writers go on. The wanted set and `building` are committed first, `ready`
 * and the audit event last; whoever dies in between is succeeded by the next start or run of the job.
 */
@Injectable()
export class IndexBuilds implements OnApplicationBootstrap {
  private readonly logger = new Logger(IndexBuilds.name);

  constructor(
    @InjectRepository(Collection) private readonly collections: Repository<Collection>,
    private readonly sessions: IndexBuildSessions,
    private readonly remains: RecordRemains,
    private readonly audit: AuditLog,
    private readonly clock: Clock,
  ) {}

  async apply(call: Call, access: Access, body: ApplyIndexesBody): Promise<AppliedIndexesView> {
    const { collection } = access;
    if (body.dry_run) return this.preview(collection, body);
    const wanted = parseSet(collection, body);
    if (collection.status === 'building') throw building();
    if (sameSet(collection, wanted)) return this.leave(call, collection);
    const done = await this.sessions.run(collection, async connection => {
      await call.rights?.renewIfOld();
      const { before, after } = await this.begin(call, access, body);
      await this.buildOrRestore(connection, after, before);
      await dropOtherIndexes(connection, after, after);
      return this.finish(call, after, before);
    });
    if (done === undefined) throw building();
    return done;
  }

  /** A start does not wait for it: requests are answered meanwhile. */
  onApplicationBootstrap(): void {
    this.resumeAbandoned();
  }

  /**
   * Sets about what was abandoned and returns at once. For jobs: a job's lock is an open transaction with a snapshot, and
   * a concurrent build waits for all older snapshots to end.
   */
  resumeAbandoned(): void {
    this.finishAbandoned().catch(error => this.logger.warn(`half-built indexes: ${error.message}`));
  }

  /** Finishes what an instance began and did not end; removes what cannot be finished. */
  async finishAbandoned(): Promise<{ finished: number; removed: number }> {
    const counts = { finished: 0, removed: 0 };
    const abandoned = await this.collections.find({
      where: { status: 'building' },
      select: { id: true, orgId: true },
    });
    for (const collection of abandoned) {
      const resume = (connection: Queryable) => this.resume(connection, collection.id);
      // Where all places are taken, the next run of the job tries again.
      const outcome = await this.sessions.run(collection, resume).catch(unlessBusy);
      if (outcome !== undefined && outcome !== 'nothing') counts[outcome] += 1;
    }
    return counts;
  }

  private async preview(collection: Collection, body: ApplyIndexesBody): Promise<AppliedIndexesView> {
    const wanted = parseSet(collection, body);
    const { created, dropped } = differences(collection, wanted);
    const broken = await this.collections.manager.transaction(manager =>
      duplicates(manager, collection, created.uniques),
    );
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

  /** Nothing is to be done; a retry shall find nothing to do either, whatever was applied meanwhile. */
  private async leave(call: Call, collection: Collection): Promise<AppliedIndexesView> {
    const answer = applied(collection);
    if (call.retry === undefined) return answer;
    return this.collections.manager.transaction(manager => answerOnce(manager, call, async () => answer));
  }

  /** From here on every writer knows the wanted uniques, for the version has grown. */
  private begin(
    call: Call,
    access: Access,
    body: ApplyIndexesBody,
  ): Promise<{ before: Collection; after: Collection }> {
    return this.collections.manager.transaction(async manager => {
      await claimKey(manager, call);
      const before = await lockSettled(manager, access);
      const change = { ...parseSet(before, body), status: 'building' as const, version: before.version + 1 };
      await manager.update(Collection, { id: before.id }, change);
      return { before, after: Object.assign(new Collection(), before, change) };
    });
  }

  private async buildOrRestore(connection: Queryable, after: Collection, former: IndexSet): Promise<void> {
    try {
      await this.build(connection, after);
    } catch (error) {
      if (isCutOff(error)) throw error;
      await this.restore(after.id, former);
      throw alterRefusal(error);
    }
  }

  private async build(connection: Queryable, collection: Collection): Promise<void> {
    for (let attempt = 1; ; attempt++) {
      await this.collections.manager.transaction(manager => this.remains.remove(manager, collection));
      try {
        return await buildIndexes(connection, collection, collection);
      } catch (error) {
        if (sqlState(error) !== '23505') throw error;
        const broken = await duplicates(connection, collection, collection.uniques);
        if (broken.length > 0 || attempt === MAX_ATTEMPTS) throw duplicatesRefusal(broken);
      }
    }
  }

  private async finish(call: Call, { id }: Collection, before: IndexSet): Promise<AppliedIndexesView> {
    return this.collections.manager.transaction(manager =>
      answerOnce(manager, call, async () => {
        const row = await lock(manager, id);
        const change = { status: 'ready' as const, version: row.version + 1, updatedAt: this.clock.now() };
        await manager.update(Collection, { id }, change);
        await this.audit.record(manager, call, row.orgId, {
          type: 'collections.indexes.applied',
          target: { type: 'collection', id, name: row.name },
          changes: { before: indexSetView(before), after: indexSetView(row) },
        });
        return applied(row);
      }),
    );
  }

  private restore(id: string, { indexes, uniques }: IndexSet): Promise<void> {
    return this.collections.manager.transaction(async manager => {
      const { version } = await lock(manager, id);
      const change = {
        indexes: [...indexes],
        uniques: [...uniques],
        status: 'ready' as const,
        version: version + 1,
      };
      await manager.update(Collection, { id }, change);
    });
  }

  /** What was there before is known from the table alone, so a set that cannot be built gives way to what is whole. */
  private async resume(connection: Queryable, id: string): Promise<'finished' | 'removed' | 'nothing'> {
    const collection = await this.collections.findOneBy({ id });
    if (collection?.status !== 'building') return 'nothing';
    const before = await wholeIndexes(connection, collection);
    try {
      await this.build(connection, collection);
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

/** Without its connection a build cannot take its work back: that is left to the next start or run of the job. */
function isCutOff(error: unknown): boolean {
  if (error instanceof PlatformError) return false;
  return /^(08|57P|58)/.test(sqlState(error) ?? '08');
}

async function lock(manager: EntityManager, id: string): Promise<Collection> {
  const row = await manager.findOne(Collection, { where: { id }, lock: { mode: 'pessimistic_write' } });
  if (row === null) throw collectionNotFound();
  return row;
}

function parseSet({ columns }: Collection, { indexes, uniques }: ApplyIndexesBody) {
  if (indexes === undefined && uniques === undefined) {
    throw invalid('indexes, uniques: send the full set of at least one of them; an empty list is a set too');
  }
  return {
    indexes: parseIndexes('indexes', indexes, columns),
    uniques: parseIndexes('uniques', uniques, columns),
  };
}

function applied(collection: Collection): AppliedIndexesView {
  return { applied: true, collection_id: collection.id, ...indexSetView(collection) };
}
