import { migrate, migrateDown } from '../database/migrate.js';
import { expectNone, print } from './command.js';
import { withDatabase } from './database.js';

export async function applyMigrations(args: string[]): Promise<void> {
  expectNone(args);
  const applied = await withDatabase(settings => migrate(settings.DATABASE_URL, settings));
  for (const name of applied) print(`applied ${name}`);
  if (applied.length === 0) print('no migration to apply');
}

export async function undoMigration(args: string[]): Promise<void> {
  expectNone(args);
  const reverted = await withDatabase(settings => migrateDown(settings.DATABASE_URL));
  print(reverted === undefined ? 'no migration to undo' : `undid ${reverted}`);
}
