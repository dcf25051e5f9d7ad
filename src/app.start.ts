import { NestFactory } from '@nestjs/core';
import type { Logger } from 'pino';
import { Bootstrap } from './app.bootstrap.js';
import { AppModule } from './app.module.js';
import { setUpApp } from './app.setup.js';
import { welcome } from './app.welcome.js';
import { environment } from './config/environment.js';
import { loadSettings, type Settings, SettingsError } from './config/settings.js';
import { type EmbeddedPostgres, startEmbeddedPostgres } from './database/embedded/embedded-postgres.js';
import { freePort } from './database/embedded/free-port.js';
import { migrate } from './database/migrate.js';
import { createLogger, NestLogger } from './http/logger.js';
import { PlatformAdapter } from './http/platform-adapter.js';

/** The whole start: settings, database, migrations, first credentials, listening, and what to try next. */
export async function startService(): Promise<void> {
  let database: EmbeddedPostgres | undefined;
  try {
    const settings = await readySettings();
    const logger = createLogger(settings.LOG_LEVEL);
    database = await ensureDatabase(settings, logger);
    const connected = { ...settings, DATABASE_URL: settings.DATABASE_URL ?? database?.url };
    if (settings.MIGRATE_ON_START) await migrate(connected.DATABASE_URL as string);
    await listen(connected as Settings, logger, database);
  } catch (error) {
    await database?.stop();
    const { message, stack } = error as Error;
    process.stderr.write(
      `\n${error instanceof SettingsError ? message : `The service could not start: ${message}\n${stack}`}\n\n`,
    );
    process.exit(1);
  }
}

/** Settings with a port that is really known, since the public address is made from it. */
async function readySettings(): Promise<Settings> {
  const given = environment();
  if (given.PORT?.trim() !== '0') return loadSettings(given);
  return loadSettings({ ...given, PORT: String(await freePort(0)) });
}

async function ensureDatabase(settings: Settings, logger: Logger): Promise<EmbeddedPostgres | undefined> {
  if (settings.DATABASE_URL !== undefined) return undefined;
  const database = await startEmbeddedPostgres({
    dataDir: settings.DATA_DIR,
    log: line => logger.debug({ database: line }),
    onExit: reason => logger.error({ reason }, 'the embedded PostgreSQL ended'),
  });
  for (const note of database.notes) process.stdout.write(`${note}\n`);
  return database;
}

async function listen(
  settings: Settings,
  logger: Logger,
  database: EmbeddedPostgres | undefined,
): Promise<void> {
  const app = await NestFactory.create(AppModule.with(settings), new PlatformAdapter(), {
    bodyParser: false,
    logger: new NestLogger(logger),
    forceCloseConnections: true,
  });
  setUpApp(app, logger);
  stopOnSignal(async () => {
    await app.close();
    await database?.stop();
  }, settings.SHUTDOWN_GRACE_SECONDS);
  await app.init();
  const credentials = await app.get(Bootstrap).run();
  await app.listen(settings.PORT, settings.HOST);
  process.stdout.write(welcome(settings, credentials));
}

/** Stops once, however often the signal comes (npm passes on what the terminal has sent already). */
function stopOnSignal(stop: () => Promise<void>, graceSeconds: number): void {
  let stopping = false;
  const once = () => {
    if (stopping) return;
    stopping = true;
    setTimeout(() => process.exit(1), (graceSeconds + 10) * 1000).unref();
    stop().then(
      () => process.exit(0),
      () => process.exit(1),
    );
  };
  process.on('SIGINT', once);
  process.on('SIGTERM', once);
}
