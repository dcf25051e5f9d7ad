import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Bootstrap } from '../app.bootstrap.js';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { ConfigModule } from '../config/config.module.js';
import type { Settings } from '../config/settings.js';
import { DatabaseModule } from '../database/database.module.js';
import { isMigrated } from '../database/migrate.js';
import { IdentityModule } from '../identity/identity.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';
import { withDatabase } from './database.js';

/** Runs `work` with the injectable services of the application. Throws when the database is not migrated. */
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

/** The modules that commands use. They serve no routes and run no jobs. */
@Module({})
class CliModule {
  static with(settings: Settings): DynamicModule {
    return {
      module: CliModule,
      imports: [
        ConfigModule.with(settings),
        DatabaseModule,
        AuditModule,
        OutboundModule,
        IdentityModule,
        OrgsModule,
        AuthModule,
      ],
      providers: [Bootstrap],
    };
  }
}
