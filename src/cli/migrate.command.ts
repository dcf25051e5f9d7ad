import { migrate } from '../database/migrate.js';
import { type Command, expectNone, print } from './command.js';
import { withDatabase } from './database.js';

export const migrateCommand: Command = {
  name: 'migrate',
  usage: '',
  summary: 'apply all pending migrations',
  async run(args) {
    expectNone(args);
    const applied = await withDatabase(settings => migrate(settings.DATABASE_URL, settings.DATABASE_CITUS));
    for (const name of applied) print(`applied ${name}`);
    if (applied.length === 0) print('nothing to apply');
  },
};
