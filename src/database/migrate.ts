import { DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import { LOCKS } from './advisory-locks.js';
import { type PlacementSettings, preparation } from './citus/prepare.js';
import { MIGRATIONS } from './migrations.js';

/** Name of the table of migrations during a restore, so that no instance starts on a database that is half restored. */
export const HIDDEN_MIGRATIONS = 'migrations_of_an_unfinished_restore';

/**
 * Applies all pending migrations, each in a transaction of its own, and returns their names. `settings` say what else the
 * database needs.
 */
export async function migrate(url: string, settings?: PlacementSettings): Promise<string[]> {
  const applied = await migrateUpTo(url, MIGRATIONS.length);
  const prepare = settings && preparation(settings);
  if (prepare !== undefined) await withLock(url, prepare);
  return applied;
}

/** Applies the pending ones of the oldest `count` migrations. */
export function migrateUpTo(url: string, count: number): Promise<string[]> {
  const work = async (source: DataSource) => {
    const applied = await source.runMigrations({ transaction: 'each' });
    return applied.map(migration => migration.name);
  };
  return withLock(url, work, MIGRATIONS.slice(0, count));
}

/** Names of all migrations as in the table of migrations, oldest first. */
export function migrationNames(): string[] {
  return MIGRATIONS.map(({ name }) => name);
}

/** Reverts the newest migration and returns its name; undefined when none is applied. */
export function migrateDown(url: string): Promise<string | undefined> {
  return withLock(url, async source => {
    const applied = await new MigrationExecutor(source).getExecutedMigrations();
    await source.undoLastMigration({ transaction: 'each' });
    return applied.sort((a, b) => b.timestamp - a.timestamp)[0]?.name;
  });
}

/** True when no migration is pending. */
export function isMigrated(url: string): Promise<boolean> {
  return withLock(url, async source => {
    const pending = await new MigrationExecutor(source).getPendingMigrations();
    return pending.length === 0;
  });
}

async function withLock<T>(
  url: string,
  work: (source: DataSource) => Promise<T>,
  migrations: typeof MIGRATIONS = MIGRATIONS,
): Promise<T> {
  const source = new DataSource({
    type: 'postgres',
    url,
    migrations,
    poolSize: 2,
    // The role may have timeouts for requests through a pooler; migrations may take longer.
    extra: { options: '-c statement_timeout=0 -c lock_timeout=0' },
  });
  await source.initialize();
  const lock = source.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [LOCKS.migrations]);
    await refuseUnfinished(lock);
    return await work(source);
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [LOCKS.migrations]).catch(() => undefined);
    await lock.release();
    await source.destroy();
  }
}

async function refuseUnfinished(runner: QueryRunner): Promise<void> {
  const [{ hidden }] = await runner.query(`SELECT to_regclass('${HIDDEN_MIGRATIONS}') IS NOT NULL AS hidden`);
  if (hidden) throw new Error('A restore into this database is running or has failed. Run it again.');
}
