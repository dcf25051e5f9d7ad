import { resolve } from 'node:path';
import { type DynamicModule, type INestApplicationContext, Module } from '@nestjs/common';
import { NestFactory } from '@nestjs/core';
import { Bootstrap } from '../app.bootstrap.js';
import { AuditModule } from '../audit/audit.module.js';
import { AuthModule } from '../auth/auth.module.js';
import { ConfigModule } from '../config/config.module.js';
import { environment, loadSettings } from '../config/load-settings.js';
import type { Settings } from '../config/settings.js';
import { addressPastPooler } from '../database/connections/options.js';
import { DatabaseModule } from '../database/database.module.js';
import { runningEmbeddedPostgres, startEmbeddedPostgres } from '../database/embedded/embedded-postgres.js';
import { isMigrated } from '../database/migrate.js';
import { IdentityModule } from '../identity/identity.module.js';
import { OrgsModule } from '../orgs/orgs.module.js';
import { OutboundModule } from '../outbound/outbound.module.js';

export interface Command {
  readonly name: string;
  /** The arguments, as the help text shows them. */
  readonly usage: string;
  readonly summary: string;
  /** Prints its result on stdout. Throws UsageError, or a plain Error that says what to do. */
  run(args: string[]): Promise<void>;
}

/** The arguments of the command are wrong. The usage is printed too. */
export class UsageError extends Error {}

/** Refuses arguments of a command that takes none. */
export function expectNone(args: readonly string[]): void {
  if (args.length > 0) throw new UsageError(`unexpected argument ${args[0]}`);
}

export function print(text: string): void {
  process.stdout.write(`${text}\n`);
}

/** Settings with the address of the database that the command uses. */
type ConnectedSettings = Settings & { readonly DATABASE_URL: string };

/**
 * Runs `work` on the database of the service, without a connection pooler: DATABASE_LISTEN_URL or DATABASE_URL, else
 * the embedded server of a running service, else the embedded server, started for the duration of the work.
 */
export async function withDatabase<T>(work: (settings: ConnectedSettings) => Promise<T>): Promise<T> {
  const settings = loadSettings(environment());
  const dataDir = resolve(settings.DATA_DIR);
  const url = addressPastPooler(settings) ?? (await runningEmbeddedPostgres(dataDir));
  if (url !== undefined) return work({ ...settings, DATABASE_URL: url });
  const server = await startEmbeddedPostgres({ dataDir });
  try {
    return await work({ ...settings, DATABASE_URL: server.url });
  } finally {
    await server.stop();
  }
}

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
