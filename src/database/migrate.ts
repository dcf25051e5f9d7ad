import { DataSource, MigrationExecutor } from 'typeorm';
import { MIGRATIONS } from './migrations.js';

/** Held while migrating, so that of several instances starting at once one migrates and the others wait. */
const MIGRATION_LOCK = 4_207_001;

/** Applies all pending migrations; each in a transaction of its own. Returns their names. */
export function migrate(url: string): Promise<string[]> {
  return migrateUpTo(url, MIGRATIONS.length);
}

/** Applies those of the oldest `count` migrations that are pending. */
export function migrateUpTo(url: string, count: number): Promise<string[]> {
  const work = async (source: DataSource) => {
    const applied = await source.runMigrations({ transaction: 'each' });
    return applied.map(migration => migration.name);
  };
  return withLock(url, work, MIGRATIONS.slice(0, count));
}

/** Names of all migrations, oldest first, as the table of migrations has them. */
export function migrationNames(): string[] {
  return MIGRATIONS.map(({ name }) => name);
}

/** Takes back the newest migration. Returns its name; undefined when none is applied. */
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
  const source = new DataSource({ type: 'postgres', url, migrations, poolSize: 2 });
  await source.initialize();
  const lock = source.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    return await work(source);
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lock.release();
    await source.destroy();
  }
}
