import { parseArgs } from 'node:util';
import { migrate, migrateDownTo, migrationNames, migrationStatus } from '../platform/database/migrate.js';
import { type MigrationNews, newsText } from '../platform/database/migrating/migration-news.js';
import { lossOf, newestOf, releases } from '../platform/database/migrating/releases.js';
import { expectNone, print, UsageError } from './command.js';
import { withDatabase } from './database.js';

export async function applyMigrations(args: string[]): Promise<void> {
  expectNone(args);
  const applied = await withDatabase(settings => migrate(settings.DATABASE_URL, settings, report));
  for (const name of applied) print(`applied ${name}`);
  if (applied.length === 0) print('no migration to apply');
}

export async function showMigrations(args: string[]): Promise<void> {
  expectNone(args);
  const { applied, pending } = await withDatabase(({ DATABASE_URL }) => migrationStatus(DATABASE_URL));
  const known = new Set(migrationNames());
  for (const name of applied) print(`applied  ${name}${known.has(name) ? '' : ' (of another version)'}`);
  for (const name of pending) print(`pending  ${name}`);
}

/** Takes back the newest migration, or all after `--to`. Refuses to lose data without `--yes`. */
export async function undoMigrations(args: string[]): Promise<void> {
  const options = { to: { type: 'string' }, yes: { type: 'boolean' } } as const;
  const { to, yes } = parseArgs({ args, options }).values;
  const stays = to === undefined ? undefined : newestOf(to, migrationNames());
  if (to !== undefined && stays === undefined)
    throw new UsageError(
      `--to expects one of the versions ${releases().join(', ')} or a migration of npm run migrate:status`,
    );
  const agree = (names: readonly string[]) => {
    const losses = names.map(lossOf);
    // The output of a single step without a loss is its result alone.
    if (to !== undefined || losses.some(({ loses }) => loses !== undefined))
      for (const { name, loses } of losses)
        print(`takes back ${name}${loses === undefined ? '' : `, and loses ${loses}`}`);
    if (yes !== true && losses.some(({ loses }) => loses !== undefined))
      throw new Error(
        'Nothing was taken back. Take a backup, then repeat this with --yes to lose that data.',
      );
  };
  const undone = await withDatabase(({ DATABASE_URL }) => migrateDownTo(DATABASE_URL, stays, agree, report));
  for (const name of undone) print(`undid ${name}`);
  if (undone.length === 0) print('no migration to undo');
}

/** On stderr, because stdout has the result. */
function report(news: MigrationNews): void {
  if (news.state === 'begun' || news.state === 'waiting') process.stderr.write(`${newsText(news)}\n`);
}
