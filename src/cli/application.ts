import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import pg from 'pg';
import { CliModule } from './cli.module.js';
import { withDatabase } from './database.js';

/** Runs `work` with the services of the platform on a migrated database. */
export function withApplication<T>(work: (app: INestApplicationContext) => Promise<T>): Promise<T> {
  return withDatabase(async settings => {
    await assertMigrated(settings.DATABASE_URL);
    const app = await NestFactory.createApplicationContext(CliModule.with(settings), {
      logger: false,
      abortOnError: false,
    });
    try {
      return await work(app);
    } finally {
      await app.close();
    }
  });
}

async function assertMigrated(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url });
  await client.connect();
  try {
    const { rows } = await client.query(`SELECT to_regclass('collections') IS NOT NULL AS migrated`);
    if (!rows[0].migrated)
      throw new Error('The database is not migrated: run npm run migrate, or npm start.');
  } finally {
    await client.end();
  }
}
