// biome-ignore-all lint/suspicious/noTemplateCurlyInString: ${NAME} is the syntax of the files that two settings name

import { DAY_MS } from '../kernel/clock.js';
import {
  arrayFile,
  checkDnsServer,
  checkOrigin,
  checkVerifiedDomain,
  choice,
  choices,
  flag,
  fraction,
  hostEntry,
  integer,
  list,
  origin,
  origins,
  type Setting,
  text,
  upstreams,
  url,
} from './setting.js';

const DAY = 86_400;

/** All settings of the service, in the groups and order of `.env.example`. */
export const SETTINGS = {
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
    RESPONSE_LIMIT_BYTES: integer(
      'largest JSON response that is not a stream; pages end early, other responses are refused',
      16 * 1024 * 1024,
      65_536,
      256 * 1024 * 1024,
    ),
    MEMORY_BUDGET_BYTES: integer(
      'memory that large requests and responses may use at the same time; further ones wait; 0: half of the heap of Node',
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
    DATABASE_CONNECTION_LIFETIME_SECONDS: integer('age at which a connection is replaced', 1800, 10, DAY),
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
    BOOTSTRAP_ORG: text(
      'production: slug of the organization to create in an empty database',
      undefined,
      'acme',
    ),
    BOOTSTRAP_ADMIN_EMAIL: text('production: e-mail address of its owner', undefined, 'admin@example.com'),
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
  'Tokens and keys': {
    JWKS_ROTATION_DAYS: integer('days until a signing key is replaced', 30, 1, 3650),
    JWKS_KTY: choice('key type of signing keys', 'RSA', ['RSA', 'EC', 'OKP']),
    JWKS_ALG: choice('signature algorithm', 'RS256', [
      'RS256',
      'RS384',
      'RS512',
      'PS256',
      'PS384',
      'PS512',
      'ES256',
      'ES384',
      'ES512',
      'EdDSA',
    ]),
    JWKS_SIZE: integer('size of RSA keys in bits', 2048, 2048, 8192),
    ACCESS_TOKENS_MAX_AGE: integer('lifetime of a JWT in seconds', 30 * DAY, 60, 366 * DAY),
    TOKEN_EXCHANGE_SINGLE_USE: choice('on: an id_token can be exchanged once; off: until it expires', 'on', [
      'on',
      'off',
    ]),
    WEB_SESSION_TICKET_TTL: integer('lifetime of a web session ticket in seconds', 60, 1, 300),
    WEB_SESSION_TICKET_MAX_TTL: integer(
      'longest lifetime of a ticket that a caller may request, in seconds',
      300,
      1,
      300,
    ),
    WEB_SESSION_ALLOWED_REDIRECT_HOSTS: list(
      'further hosts (or host:port) to which a web session may redirect',
      'app.example.com',
    ),
    PLATFORM_ORIGINS: list(
      'origins of consoles and workspace pages, which may use the cookie',
      'https://console.example.com',
      checkOrigin,
    ),
    CORS_ORIGINS: origins(
      'origins of pages that may call the API with keys and tokens, * for all, none for none; default: loopback origins outside production, none in production',
      'https://app.example.com',
    ),
    PASSKEYS: choice('whether people can sign in with passkeys (WebAuthn)', 'on', ['on', 'off']),
    ANONYMOUS_MAX_IDLE_DAYS: integer(
      'days without use after which an anonymous user is removed',
      30,
      1,
      3650,
    ),
  },
  'Single sign-on': {
    AUTH_PROVIDERS_FILE: arrayFile(
      `file with a JSON array of identity providers; \${NAME} in its texts stands for a variable of the environment`,
      './providers.json',
    ),
    SSO_MAX_PROVIDERS_PER_ORG: integer('identity providers of one organization', 20, 1, 1000),
    ORG_VERIFIED_DOMAINS: list(
      'e-mail domains that organizations have proven to the operator; addresses there claim invitations through the organization’s own providers',
      'acme=acme.example',
      checkVerifiedDomain,
    ),
  },
  'Authorization server': {
    OIDC_DYNAMIC_REGISTRATION: choice(
      'whether clients may register themselves at POST /oidc/reg; loopback: only if PUBLIC_URL is a loopback address, outside production',
      'loopback',
      ['loopback', 'on', 'off'],
    ),
    OIDC_CLIENT_METADATA_DOCUMENTS: choice(
      'whether a client_id may be the https address of the client’s metadata',
      'on',
      ['on', 'off'],
    ),
    OIDC_CLIENTS_FILE: arrayFile(
      `file with a JSON array of the platform’s own clients; \${NAME} in its texts stands for a variable of the environment`,
      './clients.json',
    ),
    OIDC_CLIENT_MAX_IDLE_DAYS: integer(
      'days without use after which a client that registered itself is removed',
      90,
      1,
      3650,
    ),
  },
  'Outgoing requests': {
    OUTBOUND_ALLOW_INSECURE_HOSTS: list(
      'development and tests: hosts (or host:port) that may be called over plain http and at private addresses',
      'localhost:8080',
      hostEntry,
    ),
    DNS_SERVERS: list(
      'name servers for the TXT records of domains, as IP address or address:port; default: those of the system',
      '192.0.2.53:53',
      checkDnsServer,
    ),
  },
  Organizations: {
    ORG_CREATION: choice(
      'who may create an organization: any person, admins (owners and admins of an organization), or off: nobody',
      'any',
      ['any', 'admins', 'off'],
    ),
  },
  Collections: {
    SERVICE_WORKSPACE_SLUG: text('workspace slug in the scope of collection keys', 'collections'),
    COLLECTION_MAX_RECORDS_LIMIT: integer(
      'highest max_records of a collection',
      10_000_000,
      1,
      1_000_000_000,
    ),
    ALLOW_BULK_DELETE: flag('allow deleting records by filter', false),
  },
  'Imports and exports': {
    TRANSFER_PLACES: integer('simultaneous imports and exports of an instance', 6, 1, 500),
    TRANSFER_PLACES_PER_ORG: integer('of them for one organization', 4, 1, 500),
    TRANSFER_PLACES_PER_CALLER: integer('of them for one caller', 2, 1, 500),
    TRANSFER_MIN_BYTES_PER_SECOND: integer(
      'an import or export ends if its client sends or takes less; 0: no minimum',
      1024,
      0,
      1024 ** 3,
    ),
    TRANSFER_RATE_WINDOW_SECONDS: integer('time over which that rate is measured', 60, 1, 3600),
    TRANSFER_MAX_SECONDS: integer('longest time of an import or export', 3600, 1, 7 * DAY),
  },
  'Changes and webhooks': {
    CHANGES_RETENTION_HOURS: integer('hours for which changes of followed collections are kept', 72, 1, 8760),
    CHANGES_MAX_STREAMS: integer('open change streams of an instance', 1000, 1, 100_000),
    CHANGES_MAX_STREAMS_PER_CALLER: integer('of them for one caller', 20, 1, 100_000),
    CHANGES_STALL_SECONDS: integer(
      'time in which a client reads nothing of a stream before it is disconnected',
      30,
      1,
      3600,
    ),
    WEBHOOK_RETENTION_DAYS: integer('days for which deliveries of webhooks are kept', 14, 2, 366),
    WEBHOOK_DISABLE_AFTER_DAYS: integer(
      'days without a successful delivery after which a webhook is switched off',
      5,
      1,
      366,
    ),
  },
  'Audit log': {
    AUDIT_RETENTION_DAYS: integer('days for which audit events are kept', 365, 1, 36_500),
  },
  MCP: {
    MCP_MAX_RESULT_BYTES: integer('largest result of an MCP tool', 64 * 1024, 4096, 16 * 1024 * 1024),
    MCP_ALLOWED_HOSTS: list(
      'host names for MCP requests besides that of PUBLIC_URL and loopback names',
      'mcp.example.com',
    ),
  },
  AI: {
    AI_ADAPTER: choice('what plans answers and schemas; builtin needs no model and no network', 'builtin', [
      'builtin',
      'openai',
    ]),
    AI_BASE_URL: url(
      'OpenAI-compatible endpoint of the adapter openai',
      ['https:', 'http:'],
      'https://api.openai.com/v1',
    ),
    AI_API_KEY: text('its key; default: none is sent', undefined, 'YOUR_KEY'),
    AI_MODEL: text('its model', undefined, 'gpt-5-mini'),
    AI_TIMEOUT_MS: integer('time until the model must have answered, retries included', 20_000, 100, 300_000),
    AI_MAX_RETRIES: integer('retries after 429, 5xx or a broken connection', 2, 0, 10),
    AI_MAX_OUTPUT_TOKENS: integer('tokens of one answer of the model', 2_000, 100, 100_000),
    AI_TOKENS_PER_DAY: integer(
      'tokens that an organization may use in a day (UTC)',
      1_000_000,
      1,
      1_000_000_000_000,
    ),
    AI_INPUT_PRICE: integer('price of a million input tokens, in cents', 0, 0, 1_000_000),
    AI_OUTPUT_PRICE: integer('price of a million output tokens, in cents', 0, 0, 1_000_000),
    AI_COST_PER_DAY: integer(
      'cents that an organization may spend in a day (UTC); 0: no limit',
      0,
      0,
      1_000_000_000,
    ),
  },
  Monitoring: {
    METRICS_TOKEN: text(
      'bearer token for GET /metrics; without it, production serves no metrics, and other environments serve them only to requests from the same machine',
      undefined,
      'YOUR_TOKEN',
    ),
    OTEL_EXPORTER_OTLP_ENDPOINT: url(
      'collector for traces (OTLP over HTTP); without it nothing is traced',
      ['https:', 'http:'],
      'http://collector:4318',
    ),
    OTEL_EXPORTER_OTLP_HEADERS: list(
      'headers for the collector, as name=value pairs with percent-encoded values',
      'authorization=Bearer%20YOUR_KEY',
      entry => {
        if (!/^[\w-]+=(?:[^%\s]|%[0-9A-Fa-f]{2})*$/.test(entry)) throw new Error('expects name=value pairs');
      },
    ),
    OTEL_SERVICE_NAME: text('name of the service in traces', 'typed-collections'),
    OTEL_TRACES_SAMPLER_ARG: fraction(
      'share of requests to trace, unless their traceparent decides otherwise',
      1,
    ),
  },
  'Rate limits': {
    RATE_LIMITS: choice('off switches off all rate limits (refused in production)', 'on', ['on', 'off']),
    RATE_LIMIT_DEFAULT: integer('requests per caller and minute', 6000, 1, 10_000_000),
    RATE_LIMIT_WRITE: integer('inserts and upserts per caller and minute', 3000, 1, 10_000_000),
    RATE_LIMIT_BULK: integer('bulk inserts per caller and minute', 300, 1, 10_000_000),
    RATE_LIMIT_MCP: integer('MCP messages per caller and minute', 600, 1, 10_000_000),
    RATE_LIMIT_ASK: integer('questions per caller and minute', 20, 1, 10_000_000),
    RATE_LIMIT_DOMAIN_CHECKS: integer(
      'look-ups of the DNS record of a domain per caller and minute',
      10,
      1,
      10_000_000,
    ),
    RATE_LIMIT_WEB_SESSION: integer('web session exchanges per source address and minute', 30, 1, 10_000_000),
    RATE_LIMIT_ANONYMOUS: integer('anonymous logins per source address and minute', 10, 1, 10_000_000),
    RATE_LIMIT_LOGIN: integer(
      'logins through a provider, with passkeys, by invitations and by recovery links, each per source address and minute',
      30,
      1,
      10_000_000,
    ),
    RATE_LIMIT_AUTHORIZATION: integer(
      'requests to the authorization server per source address and minute',
      120,
      1,
      10_000_000,
    ),
    RATE_LIMIT_CLIENT_REGISTRATION: integer(
      'clients that register themselves per source address and minute',
      10,
      1,
      10_000_000,
    ),
    RATE_LIMIT_DEVICE_CODES: integer(
      'codes of the device flow that are entered per source address and minute',
      20,
      1,
      10_000_000,
    ),
    RATE_LIMIT_TOKEN_EXCHANGE: integer('token exchanges per source address and minute', 60, 1, 10_000_000),
    RATE_LIMIT_AUTH_FAILURES: integer(
      'refused credentials, and refused bodies without a credential, per source address and minute; valid credentials always pass',
      60,
      1,
      10_000_000,
    ),
  },
} satisfies Record<string, Record<string, Setting<unknown>>>;

type Group = (typeof SETTINGS)[keyof typeof SETTINGS];
type UnionToIntersection<U> = (U extends unknown ? (each: U) => void : never) extends (all: infer I) => void
  ? I
  : never;
type Catalogue = UnionToIntersection<Group>;
type SettingValues = {
  readonly [Name in keyof Catalogue]: Catalogue[Name] extends Setting<infer T> ? T : never;
};

/** The settings of this process, parsed and checked once. Injected by this class. */
// biome-ignore lint/suspicious/noUnsafeDeclarationMerging: the class is the injection token, loadSettings makes the values
export abstract class Settings {}
export interface Settings extends SettingValues {
  /** PUBLIC_URL without a trailing slash, or its default. */
  readonly PUBLIC_URL: string;
  /** Of `loopback` what it comes to. */
  readonly OIDC_DYNAMIC_REGISTRATION: 'on' | 'off';
}
