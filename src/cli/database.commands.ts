import { migrate, migrateDown } from '../database/migrate.js';
import { type Command, expectNone, print, withDatabase } from './command.js';

export const migrateCommand: Command = {
  name: 'migrate',
  usage: '',
  summary: 'apply all pending migrations',
  async run(args) {
    expectNone(args);
    const applied = await withDatabase(settings => migrate(settings.DATABASE_URL, settings));
    for (const name of applied) print(`applied ${name}`);
    if (applied.length === 0) print('no migration to apply');
  },
};

export const migrateDownCommand: Command = {
  name: 'migrate:down',
  usage: '',
  summary: 'take back the newest migration and the data that only its tables hold',
  async run(args) {
    expectNone(args);
    const reverted = await withDatabase(settings => migrateDown(settings.DATABASE_URL));
    print(reverted === undefined ? 'no migration to undo' : `undid ${reverted}`);
  },
};
