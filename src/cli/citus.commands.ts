import { DataSource } from 'typeorm';
import { migrate } from '../database/migrate.js';
import { distribute, undistribute } from '../storage/citus/distribution.js';
import { type Command, expectNone, print, withDatabase } from './command.js';

export const citusDistributeCommand: Command = {
  name: 'citus:distribute',
  usage: '',
  summary: 'move the data of every organization to a node of Citus; stop all instances first',
  async run(args) {
    expectNone(args);
    await withDatabase(async ({ DATABASE_URL: url }) => {
      await migrate(url, { DATABASE_CITUS: 'on' });
      await withSource(url, source => distribute(source, print));
    });
  },
};

export const citusUndistributeCommand: Command = {
  name: 'citus:undistribute',
  usage: '',
  summary: 'move the data of every organization back from the nodes of Citus; stop all instances first',
  async run(args) {
    expectNone(args);
    await withDatabase(({ DATABASE_URL: url }) => withSource(url, source => undistribute(source, print)));
  },
};

async function withSource<T>(url: string, work: (source: DataSource) => Promise<T>): Promise<T> {
  const source = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}
