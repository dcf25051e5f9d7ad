import { migrate, migrateDown } from '../database/migrate.js';
import { type MigrationNews, newsText } from '../database/migrating/migration-news.js';
import { expectNone, print } from './command.js';
import { withDatabase } from './database.js';

export async function applyMigrations(args: string[]): Promise<void> {
  expectNone(args);
  const applied = await withDatabase(settings => migrate(settings.DATABASE_URL, settings, report));
  for (const name of applied) print(`applied ${name}`);
  if (applied.length === 0) print('no migration to apply');
}

export async function undoMigration(args: string[]): Promise<void> {
  expectNone(args);
  const reverted = await withDatabase(settings => migrateDown(settings.DATABASE_URL));
  print(reverted === undefined ? 'no migration to undo' : `undid ${reverted}`);
}

/** On stderr, because stdout has the result. */
function report(news: MigrationNews): void {
  if (news.state !== 'applied') process.stderr.write(`${newsText(news)}\n`);
}
