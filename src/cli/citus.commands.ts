import { DataSource } from 'typeorm';
import { distribute, undistribute } from '../engine/storage/citus/distribution.js';
import { migrate } from '../platform/database/migrate.js';
import { expectNone, print } from './command.js';
import { withDatabase } from './database.js';

export async function distributeOrgs(args: string[]): Promise<void> {
  expectNone(args);
  await withDatabase(async ({ DATABASE_URL: url }) => {
    await migrate(url, { DATABASE_CITUS: 'on' });
    await withSource(url, source => distribute(source, print));
  });
}

export async function undistributeOrgs(args: string[]): Promise<void> {
  expectNone(args);
  await withDatabase(({ DATABASE_URL: url }) => withSource(url, source => undistribute(source, print)));
}

async function withSource<T>(url: string, work: (source: DataSource) => Promise<T>): Promise<T> {
  const source = await new DataSource({ type: 'postgres', url, poolSize: 1 }).initialize();
  try {
    return await work(source);
  } finally {
    await source.destroy();
  }
}
