import { type PlacementSettings, preparation } from './citus/prepare.js';
import { HIDDEN_MIGRATIONS, UNFINISHED_RESTORE } from './migrating/lowest-version.js';
import type { Tell } from './migrating/migration-news.js';
import { MigrationSession } from './migrating/migration-session.js';
import { MIGRATIONS } from './migrations.js';

const nothing: Tell = () => undefined;

/**
 * Applies all pending migrations, each in a transaction of its own or in several, and returns their names. A migration
 * waits for a lock for half a second at most, and is then repeated. `settings` say what else the database needs. `tell`
 * hears of each migration of a database in use, and for what it waits.
 */
export function migrate(url: string, settings?: PlacementSettings, tell = nothing): Promise<string[]> {
  return inSession(url, MIGRATIONS, tell, async session => {
    const applied = await session.applyPending();
    const prepare = settings && preparation(settings);
    if (prepare !== undefined) await session.prepare(prepare);
    return applied;
  });
}

/** Applies the pending ones of the oldest `count` migrations. */
export function migrateUpTo(url: string, count: number): Promise<string[]> {
  return inSession(url, MIGRATIONS.slice(0, count), nothing, session => session.applyPending());
}

/** Names of all migrations as in the table of migrations, oldest first. */
export function migrationNames(): string[] {
  return MIGRATIONS.map(({ name }) => name);
}

/** Reverts the newest migration and returns its name; undefined when none is applied. */
export function migrateDown(url: string): Promise<string | undefined> {
  return inSession(url, MIGRATIONS, nothing, async session => {
    const newest = (await session.applied()).at(-1);
    if (newest !== undefined) await session.undo(newest);
    return newest;
  });
}

/**
 * Reverts the migrations that were applied after the one with the name `stays`, newest first; without it only the newest
 * one. `agree` gets all of them before the first is reverted, and throws to refuse.
 */
export function migrateDownTo(
  url: string,
  stays: string | undefined,
  agree: (names: readonly string[]) => void,
  tell = nothing,
): Promise<string[]> {
  return inSession(url, MIGRATIONS, tell, async session => {
    const applied = await session.applied();
    if (stays !== undefined && !applied.includes(stays))
      throw new Error(`The migration ${stays} is not applied: run npm run migrate:status.`);
    const names = applied.slice(stays === undefined ? -1 : applied.indexOf(stays) + 1).reverse();
    for (const name of names) session.known(name);
    agree(names);
    for (const name of names) await session.undo(name);
    return names;
  });
}

/** The applied migrations, in the order in which they were applied, and the pending ones. */
export function migrationStatus(url: string): Promise<{ applied: string[]; pending: string[] }> {
  return inSession(url, MIGRATIONS, nothing, async session => {
    const applied = await session.applied();
    return { applied, pending: migrationNames().filter(name => !applied.includes(name)) };
  });
}

/** True when no migration is pending. */
export async function isMigrated(url: string): Promise<boolean> {
  return (await migrationStatus(url)).pending.length === 0;
}

function inSession<T>(
  url: string,
  migrations: typeof MIGRATIONS,
  tell: Tell,
  work: (session: MigrationSession) => Promise<T>,
): Promise<T> {
  return MigrationSession.run(url, migrations, tell, async session => {
    const [row] = await session.query(`SELECT to_regclass('${HIDDEN_MIGRATIONS}') IS NOT NULL AS hidden`);
    if (row?.hidden) throw new Error(UNFINISHED_RESTORE);
    return work(session);
  });
}
