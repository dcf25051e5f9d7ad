import { DAY_MS, DAY_SECONDS } from '../../../base/kernel/clock.js';
import { ORG_SLUG } from '../../../base/kernel/names.js';
import {
  choice,
  choices,
  flag,
  form,
  integer,
  list,
  origin,
  type Setting,
  text,
  upstreams,
  url,
} from '../setting.js';

/** How the service runs: address, roles, database, first start and secrets. */
export const SERVICE_SETTINGS = {
  'Address and requests': {
    NODE_ENV: choice('kind of installation; production refuses unsafe defaults', 'development', [
      'development',
      'test',
      'production',
    ]),
    HOST: text('address to listen on', '127.0.0.1'),
    PORT: integer('port to listen on; 0 takes a free one', 3000, 0, 65_535),
    PUBLIC_URL: url(
      'address of the service as clients see it; passkeys need a host name in it; default: http://localhost:PORT; required in production',
      ['http:', 'https:'],
      'https://api.example.com',
    ),
    TRUSTED_PROXIES: list(
      'addresses or CIDR ranges of proxies; X-Forwarded-For is read from the right, up to the first other address',
      '10.0.0.0/8',
    ),
    LOG_LEVEL: choice('lowest level of the log lines to write', 'info', [
      'fatal',
      'error',
      'warn',
      'info',
      'debug',
      'trace',
      'silent',
    ]),
    DOCS: choice('whether to serve Swagger UI at /docs and the API description at /openapi.json', 'on', [
      'on',
      'off',
    ]),
    CONSOLE: choice('whether to serve the web console at /console', 'on', ['on', 'off']),
    BODY_LIMIT_BYTES: integer(
      'largest request body with records; other bodies may have 64 kB',
      10 * 1024 * 1024,
      1024,
      1024 ** 3,
    ),
    BODY_TIMEOUT_MS: integer(
      'time until a request body must be complete, if the service reads it as a whole; then 408',
      30_000,
      100,
      3_600_000,
    ),
    BODY_STALL_TIMEOUT_MS: integer(
      'time without a byte of such a body after which the request ends with 408',
      10_000,
      100,
      3_600_000,
    ),
    KEEP_ALIVE_TIMEOUT_MS: integer(
      'time that a connection without a request stays open; must be longer than in the load balancer',
      65_000,
      1_000,
      3_600_000,
    ),
    MAX_CONNECTIONS: integer(
      'open connections of an instance; further ones are closed at once',
      10_000,
      10,
      1_000_000,
    ),
    RESPONSE_LIMIT_BYTES: integer(
      'largest JSON response that is not a stream; pages end early, other responses are refused',
      16 * 1024 * 1024,
      65_536,
      256 * 1024 * 1024,
    ),
    MEMORY_BUDGET_BYTES: integer(
      'memory that requests and responses may use at the same time; further ones wait; 0: half of the heap of Node',
      0,
      0,
      1024 ** 4,
    ),
    SHUTDOWN_DELAY_SECONDS: integer(
      'time after a stop signal in which requests are still accepted while /health/ready responds with 503',
      0,
      0,
      300,
    ),
    SHUTDOWN_GRACE_SECONDS: integer('time that running requests have to end at shutdown', 10, 0, 600),
  },
  Roles: {
    PLATFORM_ROLES: choices('what this process does: gateway serves /v2 and /oidc, runtime serves /v1', [
      'gateway',
      'runtime',
    ]),
    RUNTIME_URL: origin(
      'where a gateway without the runtime forwards /v1; a runtime alone accepts identities that are signed for this address',
      'http://runtime:3000',
    ),
    GATEWAY_UPSTREAMS: upstreams(
      'JSON object of path prefixes and the internal services to which the gateway forwards them',
      '{"/v2/files":"http://files:3001"}',
    ),
    GATEWAY_TIMEOUT_MS: integer(
      'time without a byte, before the response begins, after which a forwarded request ends with 504',
      60_000,
      100,
      3_600_000,
    ),
    GATEWAY_IDLE_TIMEOUT_MS: integer(
      'time without a byte after which a forwarded response or WebSocket is closed',
      300_000,
      100,
      DAY_MS,
    ),
  },
  Database: {
    DATABASE_URL: url(
      'PostgreSQL 15 to 18; default: an embedded PostgreSQL',
      ['postgres:', 'postgresql:'],
      'postgres://user:password@localhost:5432/platform',
    ),
    DATABASE_LISTEN_URL: url(
      'the same database without a pooler such as PgBouncer, for all connections except the pool; default: DATABASE_URL',
      ['postgres:', 'postgresql:'],
      'postgres://user:password@postgres:5432/platform',
    ),
    DATABASE_REPLICA_URLS: list(
      'hot standbys of that database, separated by commas, for reads of records',
      'postgres://user:password@replica:5432/platform',
      entry => {
        if (!/^postgres(?:ql)?:\/\//.test(entry) || !URL.canParse(entry))
          throw new Error('expects URLs beginning with postgres:// or postgresql://');
      },
    ),
    DATABASE_CITUS: choice(
      'on: the data of each organization is on one node of the Citus cluster whose coordinator is DATABASE_URL',
      'off',
      ['on', 'off'],
    ),
    DATA_DIR: text('directory of the embedded PostgreSQL and of development secrets', '.data'),
    DATABASE_POOL_SIZE: integer('connections in the pool of an instance', 15, 4, 500),
    DATABASE_CONNECTION_LIFETIME_SECONDS: integer(
      'age at which a connection is replaced',
      1800,
      10,
      DAY_SECONDS,
    ),
    DATABASE_STATEMENT_TIMEOUT_MS: integer('time after which a statement is stopped', 15_000, 100, 600_000),
    REQUEST_TIMEOUT_MS: integer(
      'time in which the service retries a request on records that conflicts with others; must be longer than a statement may take',
      20_000,
      100,
      600_000,
    ),
    MIGRATE_ON_START: flag('apply pending migrations at start', true),
  },
  'First start': {
    BOOTSTRAP_FILE: text(
      'file for the first credentials (mode 0600); in production they are then not printed',
      undefined,
      './bootstrap.json',
    ),
    BOOTSTRAP_ORG: form(
      'production: slug of the organization to create in an empty database',
      ORG_SLUG,
      'a slug of 2 to 40 lower-case letters, digits, - and _, such as acme',
      'acme',
    ),
    BOOTSTRAP_ADMIN_EMAIL: form(
      'production: e-mail address of its owner',
      /^[^\s@]+@[^\s@]+$/,
      'an e-mail address such as admin@example.com',
      'admin@example.com',
    ),
  },
  Secrets: {
    SECRETS_MASTER_KEYS: list(
      'keys as name:base64 (32 bytes each); the first encrypts, all decrypt; required in production',
      '2026a:BASE64_OF_32_RANDOM_BYTES',
      entry => {
        const [id, key, ...rest] = entry.split(':');
        const bytes = Buffer.from(key ?? '', 'base64').length;
        if (rest.length > 0 || !/^[A-Za-z0-9_-]{1,32}$/.test(id ?? '') || bytes !== 32) {
          throw new Error('expects id:base64 entries of 32 bytes each (openssl rand -base64 32)');
        }
      },
    ),
  },
} satisfies Record<string, Record<string, Setting<unknown>>>;
