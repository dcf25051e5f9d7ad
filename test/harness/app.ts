import { brotliDecompressSync, unzipSync } from 'node:zlib';
import { ConsoleLogger, type INestApplication } from '@nestjs/common';
import { Test } from '@nestjs/testing';
import { DataSource } from 'typeorm';
import { Agent, type Dispatcher, request as sendOver } from 'undici';
import { inject } from 'vitest';
import { AppModule } from '../../src/app/app.module.js';
import { Bootstrap, type FirstCredentials } from '../../src/app/bootstrap.js';
import { setUpApp } from '../../src/app/setup.js';
import type { Clock } from '../../src/base/kernel/clock.js';
import { loadSettings } from '../../src/platform/config/load-settings.js';
import type { Settings } from '../../src/platform/config/settings.js';
import { createLogger, NestLogger } from '../../src/platform/http/logger.js';
import { drain } from '../../src/platform/http/server/listening.js';
import { PlatformAdapter } from '../../src/platform/http/server/platform-adapter.js';
import { freshDatabaseUrl, testDatabaseUrl, throughPooler } from './database.js';
import { testPort } from './port.js';
import { logFile, watchSecrets } from './secret-watch.js';

/** What a request may carry. `body` is sent as JSON, `raw` as it is. */
export interface TestRequest {
  readonly body?: unknown;
  readonly raw?: string | Uint8Array;
  readonly token?: string;
  readonly key?: string;
  readonly headers?: Readonly<Record<string, string>>;
}

export interface TestResponse {
  readonly status: number;
  readonly headers: Headers;
  /** The parsed JSON; undefined for an empty body. */
  // biome-ignore lint/suspicious/noExplicitAny: tests assert on it
  readonly body: any;
  readonly text: string;
}

export interface TestApp {
  readonly url: string;
  readonly bootstrap: FirstCredentials;
  readonly settings: Settings;
  readonly nest: INestApplication;
  /** Sends the request to this instance, even if its PUBLIC_URL names another address. */
  request(method: string, path: string, request?: TestRequest): Promise<TestResponse>;
  /** Runs SQL in the app's database and returns the rows. */
  // biome-ignore lint/suspicious/noExplicitAny: the columns depend on the statement
  sql(text: string, values?: unknown[]): Promise<any[]>;
  close(): Promise<void>;
}

export interface TestAppOptions {
  /** Environment variables in addition to the defaults for tests. */
  readonly environment?: Readonly<Record<string, string>>;
  readonly clock?: Clock;
  /** A separate database, or the URL of one; else the app database that the test files of a worker share. */
  readonly database?: 'own' | { readonly url: string };
}

let shared: Promise<TestApp> | undefined;

/** The app that the test files of a worker share, on a real port and a real PostgreSQL. Tests must not close it. */
export function startApp(): Promise<TestApp> {
  shared ??= startOwnApp({ database: 'own' });
  return shared;
}

/** Starts an app for one test, with other settings, another clock or as a second instance. The test closes it. */
export async function startOwnApp(options: TestAppOptions = {}): Promise<TestApp> {
  const settings = await testSettings(options);
  const module = await Test.createTestingModule({
    imports: [AppModule.with({ ...settings, ...throughPooler(settings) }, options.clock)],
  }).compile();
  const { notes } = inject('testServer');
  const logger = createLogger('trace', logFile(notes));
  const nest = module.createNestApplication(new PlatformAdapter(), {
    bodyParser: false,
    logger: new LoudLogger(logger),
  });
  setUpApp(nest, logger);
  watchSecrets(nest.getHttpServer(), notes);
  await nest.init();
  const credentials = await nest.get(Bootstrap).run();
  await nest.listen(settings.PORT, settings.HOST);
  return testApp(nest, settings, credentials as FirstCredentials);
}

/** A key for ES256 is generated in a millisecond, one for RS256 in a quarter of a second of each start. */
const EC_KEYS = { JWKS_KTY: 'EC', JWKS_ALG: 'ES256' };
/** The default of the service, for tests about its tokens. */
export const RSA_KEYS = { JWKS_KTY: 'RSA', JWKS_ALG: 'RS256' };

/** Of Nest's lines about each module and route, which take a tenth of the time of a start. */
const OF_EVERY_START = new Set(['InstanceLoader', 'RoutesResolver', 'RouterExplorer']);

/** Prints errors of the service in the output of the test run too. */
class LoudLogger extends NestLogger {
  private readonly screen = new ConsoleLogger();

  override log(message: unknown, context = ''): void {
    if (!OF_EVERY_START.has(context)) super.log(message, context);
  }

  override error(message: unknown, ...rest: unknown[]): void {
    super.error(message, ...rest);
    this.screen.error(message, ...rest);
  }
}

async function testSettings({ environment, database }: TestAppOptions): Promise<Settings> {
  const url =
    typeof database === 'object'
      ? database.url
      : await (database === 'own' ? freshDatabaseUrl() : testDatabaseUrl());
  return loadSettings({
    NODE_ENV: 'test',
    PORT: String(await testPort()),
    DATABASE_URL: url,
    DATABASE_POOL_SIZE: '8',
    SECRETS_MASTER_KEYS: `test:${Buffer.alloc(32, 7).toString('base64')}`,
    ...EC_KEYS,
    RATE_LIMITS: 'off',
    DATABASE_CITUS: inject('testServer').allOnCitus ? 'on' : 'off',
    LOG_LEVEL: 'silent',
    ...environment,
  });
}

function testApp(nest: INestApplication, settings: Settings, bootstrap: FirstCredentials): TestApp {
  const address = `http://${settings.HOST}:${settings.PORT}`;
  return {
    url: settings.PUBLIC_URL,
    bootstrap,
    settings,
    nest,
    request: (method, path, request = {}) => send(address, method, path, request),
    sql: (text, values) => nest.get(DataSource).query(text, values),
    close: async () => {
      await drain(nest.getHttpServer(), 0);
      await nest.close();
    },
  };
}

/** Keeps connections to the apps of the worker, as `fetch` does, which takes four times as long for a request. */
const connections = new Agent();
/** What `fetch` sends, without its codings. */
const HEADERS = { accept: '*/*', 'accept-language': '*', 'sec-fetch-mode': 'cors', 'user-agent': 'node' };

/** The text of a body in a coding, which only a test that asks for one gets. */
async function decoded(body: Dispatcher.ResponseData['body'], coding: string): Promise<string> {
  const bytes = Buffer.from(await body.arrayBuffer());
  if (bytes.length === 0) return '';
  return (coding === 'br' ? brotliDecompressSync(bytes) : unzipSync(bytes)).toString();
}

async function send(url: string, method: string, path: string, request: TestRequest): Promise<TestResponse> {
  const body = request.raw ?? (request.body === undefined ? undefined : JSON.stringify(request.body));
  const answer = await sendOver(`${url}${path}`, {
    method: method as Dispatcher.HttpMethod,
    dispatcher: connections,
    body,
    headers: {
      ...HEADERS,
      ...(body !== undefined && { 'content-type': 'application/json' }),
      ...(request.token !== undefined && { authorization: `Bearer ${request.token}` }),
      ...(request.key !== undefined && { 'x-platform-api-key': request.key }),
      ...request.headers,
    },
  });
  const coding = answer.headers['content-encoding'];
  const text = coding === undefined ? await answer.body.text() : await decoded(answer.body, String(coding));
  const headers = new Headers();
  for (const [name, values] of Object.entries(answer.headers)) {
    for (const value of [values ?? []].flat()) headers.append(name, value);
  }
  const isJson = /\bjson\b/.test(headers.get('content-type') ?? '') && text !== '';
  return { status: answer.statusCode, headers, text, body: isJson ? JSON.parse(text) : undefined };
}
