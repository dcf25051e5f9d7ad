import type { INestApplicationContext } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { isMigrated } from '../database/migrate.js';
import { CliModule } from './cli.module.js';
import { withDatabase } from './database.js';

/** Runs `work` with the services of the platform on a migrated database. */
export function withApplication<T>(work: (app: INestApplicationContext) => Promise<T>): Promise<T> {
  return withDatabase(async settings => {
    if (!(await isMigrated(settings.DATABASE_URL))) {
      throw new Error('The database is not migrated: run npm run migrate, or npm start.');
    }
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
