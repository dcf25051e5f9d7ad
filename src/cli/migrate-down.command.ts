import { migrateDown } from '../database/migrate.js';
import { type Command, expectNone, print } from './command.js';
import { withDatabase } from './database.js';

export const migrateDownCommand: Command = {
  name: 'migrate:down',
  usage: '',
  summary: 'take back the newest migration and the data that only its tables hold',
  async run(args) {
    expectNone(args);
    const reverted = await withDatabase(settings => migrateDown(settings.DATABASE_URL));
    print(reverted === undefined ? 'nothing to take back' : `took back ${reverted}`);
  },
};
