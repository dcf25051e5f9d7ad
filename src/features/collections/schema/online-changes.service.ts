import { setTimeout as pause } from 'node:timers/promises';
import { Injectable, Logger, type OnApplicationBootstrap } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { In, type Repository } from 'typeorm';
import { type Call, callOf, callOrigin, platformCall } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { newId } from '../../../base/kernel/id.js';
import { IndexBuildSessions } from '../../../engine/storage/table/index-build-session.js';
import { forgetMisfits, tableBytes } from '../../../engine/storage/table/online-change.js';
import { TableAccess } from '../../../engine/storage/table-access.js';
import type { Queryable } from '../../../platform/database/queryable.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { claimKey } from '../../../platform/idempotency/stored-responses.js';
import { Collection } from '../collection.entity.js';
import type { Access } from '../collection-access.js';
import { lockSettled, schemaIsChanged } from '../locked-collection.js';
import { changedCollection } from './changed-schema.js';
import { isCutOff } from './index-builds.service.js';
import { OnlineChangeSteps } from './online-change-steps.service.js';
import type { RunningChange } from './running-changes.service.js';
import { columnChanges, type SchemaView, schemaView } from './schema.dto.js';
import { SchemaChange } from './schema-change.entity.js';
import { alterRefusal } from './schema-refusals.js';

/** A table up to this size is changed in one transaction, which takes less than a quarter of a second. */
const SMALL_BYTES = 512 * 1024;
const MAX_ATTEMPTS = 5;
const ATTEMPT_PAUSE_MS = 100;
/** How long a request waits for its change. */
const WAITS_MS = 10_000;

/**
 * Changes the schemas of large collections while their records are read and written. No request waits for such a change
 * longer than for one short transaction. When an instance is killed, the next start of an instance or run of the job
 * continues its changes.
 */
@Injectable()
export class OnlineChanges implements OnApplicationBootstrap {
  private readonly logger = new Logger(OnlineChanges.name);

  constructor(
    @InjectRepository(Collection) private readonly collections: Repository<Collection>,
    @InjectRepository(SchemaChange) private readonly changes: Repository<SchemaChange>,
    private readonly transactions: Transactions,
    private readonly sessions: IndexBuildSessions,
    private readonly steps: OnlineChangeSteps,
    private readonly tables: TableAccess,
    private readonly clock: Clock,
  ) {}

  /** True for a collection that is too large to be changed in one transaction. */
  async suits(collection: Collection, connection: Queryable = this.collections): Promise<boolean> {
    if (!this.tables.changesOnline) return false;
    return (await tableBytes(connection, collection)) > SMALL_BYTES;
  }

  /**
   * The changed schema; undefined when there is nothing to change. When the change takes long, the present schema with
   * the status `building`. Throws 409 while another change or an index build is running, and when the change was
   * abandoned.
   */
  async apply(call: Call, access: Access, properties: unknown): Promise<SchemaView | undefined> {
    const waiting = new Waiting();
    const done = this.alone(access.collection, async (connection, lost) => {
      await call.rights?.renewIfOld();
      const begun = await this.begin(call, access, properties);
      if (begun === undefined) return { view: undefined };
      waiting.begin(begun.before);
      return { view: await this.carryOut(connection, { ...begun, lost }) };
    });
    const outcome = await Promise.race([done, waiting.over]).finally(() => waiting.end());
    if (!('id' in outcome)) return outcome.view;
    done.catch(error => this.report(access.collection.id, error));
    return { ...schemaView(outcome), status: 'building' };
  }

  /** Ends the running change and leaves the collection as it was. Throws 404 when none is running. */
  async abandon(call: Call, { collection }: Access): Promise<{ abandoned: true }> {
    await this.transactions.run(manager => this.steps.abandon(manager, call, collection));
    this.resumeInterrupted();
    return { abandoned: true };
  }

  /** Runs in the background, so that the start of the service does not wait for it. */
  onApplicationBootstrap(): void {
    this.resumeInterrupted();
  }

  /** Starts to continue interrupted changes and returns at once: they may take long. */
  resumeInterrupted(): void {
    this.finishInterrupted().catch(error => this.logger.warn(`interrupted schema changes: ${error.message}`));
  }

  /** Continues the changes that no instance carries out, and resolves when they have ended. */
  async finishInterrupted(): Promise<void> {
    const interrupted = await this.changes.findBy({ phase: In(['copying', 'cleaning', 'abandoned']) });
    for (const { collectionId } of interrupted) {
      const collection = await this.collections.findOneBy({ id: collectionId });
      if (collection === null) continue;
      await this.sessions
        .run(collection, (connection, lost) => this.resume(connection, lost, collectionId))
        .catch(error => this.report(collectionId, error));
    }
  }

  /**
   * Runs `work` while no other change and no index build of the collection runs. Waits a moment for one that has just
   * ended, then throws 409.
   */
  private async alone<T>(
    collection: Collection,
    work: (connection: Queryable, lost: AbortSignal) => Promise<T>,
  ): Promise<T> {
    for (let attempt = 1; attempt <= MAX_ATTEMPTS; attempt++) {
      const outcome = await this.sessions.run(collection, async (connection, lost) => ({
        value: await work(connection, lost),
      }));
      if (outcome !== undefined) return outcome.value;
      await pause(ATTEMPT_PAUSE_MS);
    }
    throw schemaIsChanged();
  }

  /** Commits the wanted schema and the status `building`. */
  private begin(call: Call, access: Access, properties: unknown): Promise<BegunChange | undefined> {
    return this.transactions.run(async manager => {
      await claimKey(manager, call);
      const before = await lockSettled(manager, access);
      const after = changedCollection(before, properties, this.clock.now());
      if (columnChanges(before, after).length === 0) return undefined;
      const id = newId();
      const { columns } = after;
      const startedAt = this.clock.now();
      await manager.upsert(
        SchemaChange,
        {
          collectionId: before.id,
          id,
          columns,
          call: callOrigin(call),
          phase: 'copying',
          doneRows: 0,
          totalRows: 0,
          startedAt,
          error: null,
        },
        ['collectionId'],
      );
      await forgetMisfits(manager, before);
      const building = { status: 'building' as const, version: before.version + 1 };
      await manager.update(Collection, { id: before.id }, building);
      return { id, call, before, after };
    });
  }

  /** Resolves when the collection is as wanted; takes everything back when the change fails or is abandoned. */
  private async carryOut(connection: Queryable, change: RunningChange): Promise<SchemaView> {
    try {
      await this.steps.copy(connection, change);
      await this.steps.switchSchemas(change);
    } catch (error) {
      if (isCutOff(error)) throw error;
      const refusal = alterRefusal(error) as Error;
      // A deleted collection keeps what was done for the change. The change continues when the collection is restored.
      if (!isCollectionGone(refusal)) await this.steps.undo(change, refusal);
      throw refusal;
    }
    await this.steps.clean(change);
    return schemaView(change.after);
  }

  private async resume(connection: Queryable, lost: AbortSignal, collectionId: string): Promise<void> {
    const [before, found] = await Promise.all([
      this.collections.findOneBy({ id: collectionId }),
      this.changes.findOneBy({ collectionId }),
    ]);
    if (before === null || found === null) return;
    const after = Object.assign(new Collection(), before, { columns: found.columns });
    const call = found.call === null ? platformCall('job') : callOf(found.call);
    const change = { id: found.id, call, before, after, lost };
    switch (found.phase) {
      case 'copying':
        await this.carryOut(connection, change);
        return;
      case 'cleaning':
        await this.steps.clean(change);
        return;
      case 'abandoned':
        await this.steps.undo(change, undefined);
        return;
      case 'failed':
    }
  }

  /** A refusal is shown in the collection; everything else is continued later. */
  private report(collectionId: string, error: unknown): void {
    if (error instanceof PlatformError) return;
    this.logger.warn(`schema change of collection ${collectionId}: ${(error as Error).message}`);
  }
}

type BegunChange = Omit<RunningChange, 'lost'>;

function isCollectionGone(error: Error): boolean {
  return error instanceof PlatformError && error.code === 'CollectionNotFound';
}

/** How long a request waits, from the moment its change has begun. */
class Waiting {
  private readonly stop = new AbortController();
  private started: (collection: Collection) => void = () => undefined;
  /** Resolves with the collection as it was before the change when the time is over. */
  readonly over: Promise<Collection>;

  constructor() {
    const begun = new Promise<Collection>(resolve => {
      this.started = resolve;
    });
    this.over = begun.then(collection =>
      pause(WAITS_MS, collection, { signal: this.stop.signal }).catch(() => collection),
    );
  }

  begin(collection: Collection): void {
    this.started(collection);
  }

  end(): void {
    this.stop.abort();
  }
}
