import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Bootstrap } from '../app/bootstrap.js';
import { AuthModule } from '../features/auth/auth.module.js';
import { IdentityModule } from '../features/identity/identity.module.js';
import { OrgsModule } from '../features/orgs/orgs.module.js';
import { AuditModule } from '../platform/audit/audit.module.js';
import { ConfigModule } from '../platform/config/config.module.js';
import type { Settings } from '../platform/config/settings.js';
import { DatabaseModule } from '../platform/database/database.module.js';
import { isMigrated } from '../platform/database/migrate.js';
import { MailModule } from '../platform/mail/mail.module.js';
import { OutboundModule } from '../platform/outbound/outbound.module.js';
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
        MailModule.with({ sends: false }),
        IdentityModule,
        OrgsModule,
        AuthModule,
      ],
      providers: [Bootstrap],
    };
  }
}
