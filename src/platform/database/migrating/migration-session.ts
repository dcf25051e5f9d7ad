import { setTimeout as pause } from 'node:timers/promises';
import { DataSource, Migration, MigrationExecutor, type MigrationInterface, type QueryRunner } from 'typeorm';
import { LOCKS } from '../advisory-locks.js';
import { MIGRATIONS } from '../migrations.js';
import { type Blocker, LOCK_TIMEOUT_MS, LockConflicts } from './lock-conflicts.js';
import type { Tell } from './migration-news.js';

/** How often an instance asks whether the one that migrates has finished. */
const ASK_EVERY_MS = 100;

/** Two connections to a database that nobody else migrates meanwhile: one migrates, and one watches it. */
export class MigrationSession {
  private readonly executor: MigrationExecutor;

  private constructor(
    private readonly source: DataSource,
    private readonly watching: QueryRunner,
    private readonly migrating: QueryRunner,
    private readonly tell: Tell,
  ) {
    this.executor = new MigrationExecutor(source, migrating);
  }

  /** Waits for another process that migrates the database. */
  static async run<T>(
    url: string,
    migrations: typeof MIGRATIONS,
    tell: Tell,
    work: (session: MigrationSession) => Promise<T>,
  ): Promise<T> {
    const source = new DataSource({
      type: 'postgres',
      url,
      migrations,
      poolSize: 3,
      // The role may have timeouts for requests through a pooler; migrations may take longer.
      extra: { options: `-c statement_timeout=0 -c lock_timeout=${LOCK_TIMEOUT_MS}` },
    });
    await source.initialize();
    const watching = source.createQueryRunner();
    const migrating = source.createQueryRunner();
    try {
      await lock(watching, tell);
      return await work(new MigrationSession(source, watching, migrating, tell));
    } finally {
      await watching.query('SELECT pg_advisory_unlock($1)', [LOCKS.migrations]).catch(() => undefined);
      await watching.release();
      await migrating.release();
      await source.destroy();
    }
  }

  query(text: string): Promise<Record<string, unknown>[]> {
    return this.watching.query(text);
  }

  /** Names of the applied migrations, in the order in which they were applied. */
  async applied(): Promise<string[]> {
    const executed = await this.executor.getExecutedMigrations();
    return executed.sort((a, b) => (a.id as number) - (b.id as number)).map(({ name }) => name);
  }

  /** Applies all pending migrations and returns their names. */
  async applyPending(): Promise<string[]> {
    const pending = await this.executor.getPendingMigrations();
    // On an empty database nothing waits, and nobody needs to be told of each of them.
    const isNew = pending.length > 0 && (await this.applied()).length === 0;
    for (const migration of pending) {
      await this.step(migration, isNew ? undefined : 'applied', () =>
        this.executor.executeMigration(migration),
      );
    }
    return pending.map(({ name }) => name);
  }

  /** Takes an applied migration back. Throws when this version does not know it. */
  async undo(name: string): Promise<void> {
    const executed = (await this.executor.getExecutedMigrations()).find(each => each.name === name);
    const instance = this.known(name);
    if (executed === undefined) throw new Error(`The migration ${name} is not applied.`);
    const migration = new Migration(executed.id, executed.timestamp, name, instance);
    await this.step(migration, 'undone', async () => {
      await instance.down(this.migrating);
      await this.executor.deleteMigration(migration);
    });
  }

  /** The migration with this name. Throws when this version does not know it. */
  known(name: string): MigrationInterface {
    const instance = this.source.migrations.find(each => each.constructor.name === name);
    if (instance === undefined)
      throw new Error(`This version does not know the migration ${name}. Use the version that applied it.`);
    return instance;
  }

  /** Runs work on a pool of connections that wait for locks no longer than migrations do. */
  prepare(work: (source: DataSource) => Promise<void>): Promise<void> {
    return this.repeat('prepare', () => work(this.source));
  }

  private async step(
    migration: Migration,
    done: 'applied' | 'undone' | undefined,
    work: () => Promise<unknown>,
  ): Promise<void> {
    if (done !== undefined) this.tell({ migration: migration.name, state: 'begun' });
    await this.repeat(migration.name, () =>
      migration.instance?.transaction === false ? work() : this.inTransaction(work),
    );
    if (done !== undefined) this.tell({ migration: migration.name, state: done });
  }

  private repeat<T>(migration: string, work: () => Promise<T>): Promise<T> {
    const report = (waitsFor: readonly Blocker[]) => this.tell({ migration, state: 'waiting', waitsFor });
    return new LockConflicts(this.migrating, this.watching, report).repeat(work);
  }

  private async inTransaction(work: () => Promise<unknown>): Promise<void> {
    // biome-ignore lint/plugin/one-transaction-class: migrations have a connection of their own
    await this.migrating.startTransaction();
    try {
      await work();
      await this.migrating.commitTransaction();
    } catch (error) {
      await this.migrating.rollbackTransaction().catch(() => undefined);
      throw error;
    }
  }
}

/** Asks again and again: a statement that waits has a snapshot, for whose end concurrent index builds would wait. */
async function lock(runner: QueryRunner, tell: Tell): Promise<void> {
  for (let attempt = 0; ; attempt++) {
    const [{ held }] = await runner.query('SELECT pg_try_advisory_lock($1) AS held', [LOCKS.migrations]);
    if (held) return;
    if (attempt === 0) tell({ state: 'waiting' });
    await pause(ASK_EVERY_MS);
  }
}
