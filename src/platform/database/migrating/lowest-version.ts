import { VERSION } from '../../../base/kernel/version.js';
import { MIGRATIONS } from '../migrations.js';

/** A query without parameters, and its rows. */
type Ask = (text: string) => Promise<readonly Record<string, unknown>[]>;

/**
 * Name of the table of migrations, or of an empty table, during a restore. While it exists, no instance starts on the
 * database and none migrates it.
 */
export const HIDDEN_MIGRATIONS = 'migrations_of_an_unfinished_restore';

export const UNFINISHED_RESTORE = 'A restore into this database is running or has failed. Run it again.';

const TABLES = `SELECT to_regclass('public.migrations') IS NOT NULL AS migrated,
  to_regclass('public.${HIDDEN_MIGRATIONS}') IS NOT NULL AS hidden,
  to_regclass('public.service_versions') IS NOT NULL AS guarded`;

/** The migrations of this version that are applied. */
const APPLIED = `SELECT count(*)::int AS applied FROM public.migrations
  WHERE name IN (${MIGRATIONS.map(({ name }) => `'${name}'`).join(', ')})`;

/** What an instance of this version finds in the database. */
export interface DatabaseState {
  /** True when no migration of this version is pending. */
  readonly isMigrated: boolean;
  /** Why this version must not run on it. */
  readonly refusal?: string;
}

/** Asks whether the database is migrated, and whether this version may run on it. */
export async function databaseState(ask: Ask): Promise<DatabaseState> {
  const [tables] = await ask(TABLES);
  if (tables?.hidden === true) return { isMigrated: false, refusal: UNFINISHED_RESTORE };
  const isMigrated = tables?.migrated === true && (await ask(APPLIED))[0]?.applied === MIGRATIONS.length;
  if (tables?.guarded !== true) return { isMigrated };
  const [row] = await ask('SELECT lowest FROM public.service_versions');
  const lowest = row?.lowest as string | undefined;
  if (lowest === undefined || !isOlder(VERSION, lowest)) return { isMigrated };
  const refusal = `The database needs version ${lowest} of the service or a later one, and this is ${VERSION}. Start the new version, or take its migrations back (docs/how-to/upgrade.md).`;
  return { isMigrated, refusal };
}

function isOlder(version: string, lowest: string): boolean {
  const [one, other] = [version, lowest].map(each => each.split('.').map(Number)) as [number[], number[]];
  const at = one.findIndex((part, index) => part !== other[index]);
  return at >= 0 && (one[at] as number) < (other[at] ?? 0);
}
