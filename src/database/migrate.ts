import { DataSource, MigrationExecutor, type QueryRunner } from 'typeorm';
import type { Settings } from '../config/settings.js';
import { hasCitus } from './citus/org-placement.js';
import { prepareCitus } from './citus/prepare.js';
import { MIGRATIONS } from './migrations.js';

/** Held while migrating, so that of several instances starting at once one migrates and the others wait. */
const MIGRATION_LOCK = 4_207_001;

/** What the table of migrations is called while a restore is under way, so that nobody works with a half of it. */
export const HIDDEN_MIGRATIONS = 'migrations_of_an_unfinished_restore';

/** Applies all pending migrations; each in a transaction of its own. Returns their names. `citus`: DATABASE_CITUS. */
export async function migrate(url: string, citus: Settings['DATABASE_CITUS'] = 'off'): Promise<string[]> {
  const applied = await migrateUpTo(url, MIGRATIONS.length);
  if (citus === 'on') await withLock(url, readyForCitus);
  return applied;
}

/** Without the extension nothing is made: what is missing is told at the start. */
async function readyForCitus(source: DataSource): Promise<void> {
  if (await hasCitus(source)) await source.transaction(prepareCitus);
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
  const source = new DataSource({
    type: 'postgres',
    url,
    migrations,
    poolSize: 2,
    // The role may have timeouts of its own, for requests through a pooler.
    extra: { options: '-c statement_timeout=0 -c lock_timeout=0' },
  });
  await source.initialize();
  const lock = source.createQueryRunner();
  try {
    await lock.query('SELECT pg_advisory_lock($1)', [MIGRATION_LOCK]);
    await refuseUnfinished(lock);
    return await work(source);
  } finally {
    await lock.query('SELECT pg_advisory_unlock($1)', [MIGRATION_LOCK]).catch(() => undefined);
    await lock.release();
    await source.destroy();
  }
}

async function refuseUnfinished(runner: QueryRunner): Promise<void> {
  const [{ hidden }] = await runner.query(`SELECT to_regclass('${HIDDEN_MIGRATIONS}') IS NOT NULL AS hidden`);
  if (hidden) throw new Error('A restore into this database is under way or has failed: run it again.');
}
