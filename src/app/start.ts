import { createHash } from 'node:crypto';
import { resolve } from 'node:path';
import { NestFactory } from '@nestjs/core';
import type { NestExpressApplication } from '@nestjs/platform-express';
import pg from 'pg';
import type { Logger } from 'pino';
import { VERSION } from '../base/kernel/version.js';
import { unknownSettings } from '../platform/config/known-settings.js';
import { environment, listeningUrl, loadSettings } from '../platform/config/load-settings.js';
import type { Settings } from '../platform/config/settings.js';
import { CONNECT_WITHIN_MS } from '../platform/database/connections/options.js';
import { startEmbeddedPostgres } from '../platform/database/embedded/embedded-postgres.js';
import { freePort } from '../platform/database/embedded/postmaster.js';
import { migrate } from '../platform/database/migrate.js';
import { databaseState } from '../platform/database/migrating/lowest-version.js';
import { newsText } from '../platform/database/migrating/migration-news.js';
import { createLogger, NestLogger } from '../platform/http/logger.js';
import { assertPortFree, drain, leave, Readiness } from '../platform/http/server/listening.js';
import { PlatformAdapter } from '../platform/http/server/platform-adapter.js';
import { AppModule } from './app.module.js';
import { Bootstrap } from './bootstrap.js';
import { failureText } from './failure.js';
import { setUpApp } from './setup.js';
import { Shutdown } from './shutdown.js';
import type { Tracing } from './tracing/tracing.js';
import { welcome } from './welcome.js';

/** Starts the service: settings, database, migrations, first credentials, listening, welcome text. */
export async function startService(): Promise<void> {
  const shutdown = new Shutdown();
  const started = start(shutdown);
  shutdown.onSignal(started);
  try {
    await started;
  } catch (error) {
    if (!shutdown.signalled) await shutdown.fail(failureText(error));
  }
}

async function start(shutdown: Shutdown): Promise<void> {
  const settings = await readySettings();
  shutdown.graceSeconds = settings.SHUTDOWN_DELAY_SECONDS + settings.SHUTDOWN_GRACE_SECONDS;
  // Checked before anything is created: the first credentials are shown only once, so no later step may fail.
  await assertPortFree(settings);
  const logger = createLogger(settings.LOG_LEVEL);
  shutdown.log = (fields, text) => logger.info(fields, text);
  shutdown.logFailure = text => {
    // Whoever reads lines of JSON expects nothing else.
    if (!process.stdout.isTTY) logger.fatal(text);
    return !process.stdout.isTTY;
  };
  logger.info(
    {
      version: VERSION,
      node: process.version,
      roles: settings.PLATFORM_ROLES,
      settings: settingsDigest(settings),
    },
    'starting',
  );
  for (const warning of unknownSettings(environment()))
    logger.warn({ setting: warning.split(' ')[0] }, warning);
  const url = settings.DATABASE_URL ?? (await startDatabase(settings, logger, shutdown));
  if (settings.MIGRATE_ON_START) {
    const applied = await migrate(settings.DATABASE_LISTEN_URL ?? url, settings, news =>
      logger.info(news, newsText(news)),
    );
    logger.info({ applied }, 'the database is migrated');
  }
  await assertUsable(settings.DATABASE_LISTEN_URL ?? url);
  await listen({ ...settings, DATABASE_URL: url }, logger, shutdown);
}

/** Throws when the database is half restored, or needs a later version of the service. */
async function assertUsable(connectionString: string): Promise<void> {
  const client = new pg.Client({ connectionString, connectionTimeoutMillis: CONNECT_WITHIN_MS });
  await client.connect();
  try {
    const { refusal } = await databaseState(async text => (await client.query(text)).rows);
    if (refusal !== undefined) throw new Error(refusal);
  } finally {
    await client.end();
  }
}

/** The settings with the actual port, because the public address contains it. */
async function readySettings(): Promise<Settings> {
  const given = environment();
  if (given.PORT?.trim() !== '0') return loadSettings(given);
  return loadSettings({ ...given, PORT: String(await freePort(0)) });
}

async function startDatabase(settings: Settings, logger: Logger, shutdown: Shutdown): Promise<string> {
  const database = await startEmbeddedPostgres({
    // As root, the database runs as another account and with another working directory.
    dataDir: resolve(settings.DATA_DIR),
    log: line => logger.debug({ database: line }),
    onExit: reason => void shutdown.fail(reason),
  });
  shutdown.add(() => database.stop());
  for (const note of database.notes) {
    if (process.stdout.isTTY) process.stdout.write(`${note}\n`);
    else logger.info(note);
  }
  return database.url;
}

async function listen(settings: Settings, logger: Logger, shutdown: Shutdown): Promise<void> {
  const app = await NestFactory.create<NestExpressApplication>(
    AppModule.with(settings),
    new PlatformAdapter(),
    { bodyParser: false, abortOnError: false, logger: new NestLogger(logger) },
  );
  const tracing = await tracingOf(settings);
  if (tracing !== undefined) shutdown.add(() => tracing.stop());
  setUpApp(app, logger, ...(tracing === undefined ? [] : [tracing.step]));
  shutdown.add(() => app.close());
  app.get(Readiness).cannotGoOn = reason => void shutdown.fail(reason);
  await app.init();
  const credentials = await app.get(Bootstrap).run();
  await app.listen(settings.PORT, settings.HOST);
  shutdown.add(async () => {
    await drain(app.getHttpServer(), settings.SHUTDOWN_GRACE_SECONDS);
    logger.info('requests are drained');
  });
  shutdown.add(() => leave(app.get(Readiness), settings.SHUTDOWN_DELAY_SECONDS));
  // Printed for a person, or because it is the only place that shows the first credentials.
  if (process.stdout.isTTY || credentials !== undefined) process.stdout.write(welcome(settings, credentials));
  logger.info({ address: listeningUrl(settings), signInLink: 'npm run cli -- sign-in' }, 'listening');
  returnMemoryOfStart();
}

/** V8 looks at what was allocated in the last five seconds. */
const QUIET_MS = 10_000;

/** V8 drops compiled code that this many collections in a row have found unused. */
const COLLECTIONS = 7;

/**
 * Returns the memory that only the start needed, if node runs with `--expose-gc`. The start grows the young generation to
 * its maximum. V8 shrinks it when it collects all garbage and little was allocated since the collection before, but an idle
 * process causes no collection. The collections also drop compiled code, most of which only the start has run. V8 compiles a
 * function again when it is called.
 */
function returnMemoryOfStart(): void {
  const collect = globalThis.gc;
  if (collect === undefined) return;
  collect({ type: 'minor' });
  for (let nth = 0; nth < COLLECTIONS; nth += 1) {
    setTimeout(() => collect(), QUIET_MS + nth * 1_000).unref();
  }
}

/** Loaded only if tracing is on, because its packages need memory and time to start. */
async function tracingOf(settings: Settings): Promise<Tracing | undefined> {
  if (settings.OTEL_EXPORTER_OTLP_ENDPOINT === undefined) return undefined;
  const { startTracing } = await import('./tracing/tracing.js');
  return startTracing(settings);
}

/** Settings whose values are secret, or may hold a secret. */
const SECRET = /KEY|SECRET|TOKEN|PASSWORD|URL|HEADERS/;

/** Distinguishes instances that were started with different settings, without revealing secrets. */
function settingsDigest(settings: Settings): string {
  const shown = Object.entries(settings).filter(([name]) => !SECRET.test(name));
  const text = JSON.stringify(shown.sort(([a], [b]) => (a < b ? -1 : 1)));
  return createHash('sha256').update(text).digest('hex').slice(0, 16);
}
