import { hostEntry } from './host-entry.js';
import {
  arrayFile,
  checkDnsServer,
  checkOrigin,
  checkVerifiedDomain,
  choice,
  choices,
  flag,
  fraction,
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

/** Every setting of the service, grouped as `.env.example` shows them. The only place that names one. */
export const SETTINGS = {
  'Where it listens': {
    NODE_ENV: choice('production refuses unsafe defaults', 'development', [
      'development',
      'test',
      'production',
    ]),
    HOST: text('address to listen on', '127.0.0.1'),
    PORT: integer('port to listen on; 0 takes a free one', 3000, 0, 65_535),
    PUBLIC_URL: url(
      'root address as clients see it; unset: http://HOST:PORT; required in production',
      ['http:', 'https:'],
      'https://api.example.com',
    ),
    TRUSTED_PROXIES: list(
      'addresses or CIDR ranges of proxies whose X-Forwarded-For counts, from the right',
      '10.0.0.0/8',
    ),
    LOG_LEVEL: choice('least severe log line that is written', 'info', [
      'fatal',
      'error',
      'warn',
      'info',
      'debug',
      'trace',
      'silent',
    ]),
    DOCS: choice('Swagger UI at /docs and the API description at /openapi.json', 'on', ['on', 'off']),
    BODY_LIMIT_BYTES: integer(
      'largest request body that holds records; others have at most 64 kB',
      10 * 1024 * 1024,
      1024,
      1024 ** 3,
    ),
    BODY_TIMEOUT_MS: integer(
      'a request body that the service reads as a whole must have arrived after this time: 408',
      30_000,
      100,
      3_600_000,
    ),
    BODY_STALL_TIMEOUT_MS: integer(
      'such a body of which nothing comes for so long is given up: 408',
      10_000,
      100,
      3_600_000,
    ),
    KEEP_ALIVE_TIMEOUT_MS: integer(
      'a connection without a request is kept for so long; longer than a load balancer in front keeps it',
      65_000,
      1_000,
      3_600_000,
    ),
    RESPONSE_LIMIT_BYTES: integer(
      'largest JSON answer that is not a stream; pages end early, other answers are refused',
      16 * 1024 * 1024,
      65_536,
      256 * 1024 * 1024,
    ),
    MEMORY_BUDGET_BYTES: integer(
      'memory that large answers and requests may take at once, more of them wait; 0: half of what Node may use for its heap',
      0,
      0,
      1024 ** 4,
    ),
    SHUTDOWN_DELAY_SECONDS: integer(
      'how long requests are still taken after a stop was asked for, while /health/ready says 503',
      0,
      0,
      300,
    ),
    SHUTDOWN_GRACE_SECONDS: integer('how long running requests may take to end at shutdown', 10, 0, 600),
  },
  Roles: {
    PLATFORM_ROLES: choices('what this process does: gateway serves /v2 and /oidc, runtime serves /v1', [
      'gateway',
      'runtime',
    ]),
    RUNTIME_URL: origin(
      'where a gateway alone forwards /v1 to; a runtime alone takes identities that are signed for this address',
      'http://runtime:3000',
    ),
    GATEWAY_UPSTREAMS: upstreams(
      'JSON of path prefixes and the internal services that the gateway forwards them to',
      '{"/v2/files":"http://files:3001"}',
    ),
    GATEWAY_TIMEOUT_MS: integer(
      'a forwarded request is given up on when nothing moves for so long before its answer begins: 504',
      60_000,
      100,
      3_600_000,
    ),
    GATEWAY_IDLE_TIMEOUT_MS: integer(
      'a forwarded answer or WebSocket through which nothing passes for so long is cut off',
      300_000,
      100,
      86_400_000,
    ),
  },
  Database: {
    DATABASE_URL: url(
      'PostgreSQL 15 to 18; unset: an embedded one',
      ['postgres:', 'postgresql:'],
      'postgres://user:password@localhost:5432/platform',
    ),
    DATABASE_LISTEN_URL: url(
      'the same database past a pooler like PgBouncer, for all connections but the pool; unset: DATABASE_URL',
      ['postgres:', 'postgresql:'],
      'postgres://user:password@postgres:5432/platform',
    ),
    DATABASE_REPLICA_URLS: list(
      'hot standbys of that database, comma-separated, which take reads of records',
      'postgres://user:password@replica:5432/platform',
      entry => {
        if (!/^postgres(?:ql)?:\/\//.test(entry) || !URL.canParse(entry))
          throw new Error('expects URLs beginning with postgres:// or postgresql://');
      },
    ),
    DATABASE_CITUS: choice(
      "on: each organization's data lies on one of the nodes of the Citus cluster whose coordinator is DATABASE_URL",
      'off',
      ['on', 'off'],
    ),
    DATA_DIR: text('where the embedded PostgreSQL and development secrets are kept', '.data'),
    DATABASE_POOL_SIZE: integer('connections an instance may open', 15, 4, 500),
    DATABASE_CONNECTION_LIFETIME_SECONDS: integer('a connection is replaced after this time', 1800, 10, DAY),
    DATABASE_STATEMENT_TIMEOUT_MS: integer('a statement is stopped after this time', 15_000, 100, 600_000),
    REQUEST_TIMEOUT_MS: integer(
      'the service retries a request on records that contends with others for so long; longer than a statement may take',
      20_000,
      100,
      600_000,
    ),
    MIGRATE_ON_START: flag('apply pending migrations when the service starts', true),
  },
  'First start': {
    BOOTSTRAP_FILE: text(
      'file that receives the first credentials (mode 0600); in production they are then not printed',
      undefined,
      './bootstrap.json',
    ),
    BOOTSTRAP_ORG: text(
      'production: slug of the organization to create on an empty database',
      undefined,
      'acme',
    ),
    BOOTSTRAP_ADMIN_EMAIL: text('production: e-mail of its owner', undefined, 'admin@example.com'),
  },
  Secrets: {
    SECRETS_MASTER_KEYS: list(
      'keys as id:base64 (32 bytes each); the first encrypts, all decrypt; required in production',
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
    JWKS_ROTATION_DAYS: integer('rotation period of signing keys in days', 30, 1, 3650),
    JWKS_KTY: choice('key family', 'RSA', ['RSA', 'EC', 'OKP']),
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
    JWKS_SIZE: integer('key size in bits (RSA)', 2048, 2048, 8192),
    ACCESS_TOKENS_MAX_AGE: integer('JWT lifetime in seconds', 30 * DAY, 60, 366 * DAY),
    TOKEN_EXCHANGE_SINGLE_USE: choice('on: an id_token is exchanged once, off: until it expires', 'on', [
      'on',
      'off',
    ]),
    WEB_SESSION_TICKET_TTL: integer('lifetime of a web session ticket in seconds', 60, 1, 300),
    WEB_SESSION_TICKET_MAX_TTL: integer('longest lifetime a caller may ask for, in seconds', 300, 1, 300),
    WEB_SESSION_ALLOWED_REDIRECT_HOSTS: list(
      'extra hosts (or host:port) a web session may redirect to',
      'app.example.com',
    ),
    PLATFORM_ORIGINS: list(
      'origins of consoles and workspace pages',
      'https://console.example.com',
      checkOrigin,
    ),
    CORS_ORIGINS: origins(
      'origins of pages that may call the API with keys and tokens, * for all, none for none; absent: loopback origins outside production, none in production',
      'https://app.example.com',
    ),
    ANONYMOUS_MAX_IDLE_DAYS: integer('an anonymous user idle for longer is removed', 30, 1, 3650),
  },
  'Single sign-on': {
    AUTH_PROVIDERS_FILE: arrayFile(
      'file with a JSON array of identity providers; its texts may name variables of the environment',
      './providers.json',
    ),
    SSO_MAX_PROVIDERS_PER_ORG: integer('identity providers of one organization', 20, 1, 1000),
    ORG_VERIFIED_DOMAINS: list(
      "e-mail domains that organizations have proven to the operator: their own providers' addresses there claim invitations",
      'acme=acme.example',
      checkVerifiedDomain,
    ),
  },
  'Authorization server': {
    OIDC_DYNAMIC_REGISTRATION: choice(
      'whether clients may register themselves at POST /oidc/reg; loopback: only where PUBLIC_URL is a loopback address, outside production',
      'loopback',
      ['loopback', 'on', 'off'],
    ),
    OIDC_CLIENT_METADATA_DOCUMENTS: choice(
      'whether a client_id may be the https address of the client’s metadata',
      'on',
      ['on', 'off'],
    ),
    OIDC_CLIENTS_FILE: arrayFile(
      'file with a JSON array of the platform’s own clients; its texts may name variables of the environment',
      './clients.json',
    ),
    OIDC_CLIENT_MAX_IDLE_DAYS: integer(
      'a client that registered itself is removed when unused for longer',
      90,
      1,
      3650,
    ),
  },
  'Requests to others': {
    OUTBOUND_ALLOW_INSECURE_HOSTS: list(
      'development and tests: hosts (or host:port) that are called over plain http and at private addresses too',
      'localhost:8080',
      hostEntry,
    ),
    DNS_SERVERS: list(
      'name servers that are asked for the TXT records of domains, as IP address or address:port; absent: those of the system',
      '192.0.2.53:53',
      checkDnsServer,
    ),
  },
  Organizations: {
    ORG_CREATION: choice('who may create an organization', 'any', ['any', 'admins', 'off']),
  },
  Collections: {
    SERVICE_WORKSPACE_SLUG: text('workspace slug in the scope of collection keys', 'collections'),
    COLLECTION_MAX_RECORDS_LIMIT: integer(
      'highest max_records a collection may ask for',
      10_000_000,
      1,
      1_000_000_000,
    ),
    ALLOW_BULK_DELETE: flag('allow deleting records by filter', false),
  },
  'Imports and exports': {
    TRANSFER_PLACES: integer('imports and exports that an instance runs at once', 6, 1, 500),
    TRANSFER_PLACES_PER_ORG: integer('of them for one organization', 4, 1, 500),
    TRANSFER_PLACES_PER_CALLER: integer('of them for one caller', 2, 1, 500),
    TRANSFER_MIN_BYTES_PER_SECOND: integer(
      'an import or export whose client sends or takes less is ended; 0: any rate will do',
      1024,
      0,
      1024 ** 3,
    ),
    TRANSFER_RATE_WINDOW_SECONDS: integer('time over which that rate is measured', 60, 1, 3600),
    TRANSFER_MAX_SECONDS: integer('an import or export that takes longer is ended', 3600, 1, 7 * DAY),
  },
  'Changes and webhooks': {
    CHANGES_RETENTION_HOURS: integer('changes of followed collections are kept for so long', 72, 1, 8760),
    CHANGES_MAX_STREAMS: integer('streams of changes an instance keeps open', 1000, 1, 100_000),
    CHANGES_MAX_STREAMS_PER_CALLER: integer('of them for one caller', 20, 1, 100_000),
    CHANGES_STALL_SECONDS: integer('a stream whose client takes nothing for so long is cut off', 30, 1, 3600),
    WEBHOOK_RETENTION_DAYS: integer('deliveries of webhooks are kept for so long', 14, 2, 366),
    WEBHOOK_DISABLE_AFTER_DAYS: integer(
      'a webhook is switched off when nothing could be delivered for so long',
      5,
      1,
      366,
    ),
  },
  'Audit log': {
    AUDIT_RETENTION_DAYS: integer('events of the audit log are kept for so long', 365, 1, 36_500),
  },
  MCP: {
    MCP_MAX_RESULT_BYTES: integer('largest answer of an MCP tool', 64 * 1024, 4096, 16 * 1024 * 1024),
    MCP_ALLOWED_HOSTS: list(
      'host names that reach /v1/mcp besides that of PUBLIC_URL and loopback ones',
      'mcp.example.com',
    ),
  },
  AI: {
    AI_ADAPTER: choice('who plans answers and schemas; builtin needs no model and no network', 'builtin', [
      'builtin',
      'openai',
    ]),
    AI_BASE_URL: url(
      'OpenAI-compatible endpoint of the adapter openai',
      ['https:', 'http:'],
      'https://api.openai.com/v1',
    ),
    AI_API_KEY: text('its key; unset: none is sent', undefined, 'YOUR_KEY'),
    AI_MODEL: text('its model', undefined, 'gpt-5-mini'),
    AI_TIMEOUT_MS: integer('a model is given up on after this time, retries included', 20_000, 100, 300_000),
    AI_MAX_RETRIES: integer('times a request is sent again after 429, 5xx or a broken connection', 2, 0, 10),
    AI_MAX_OUTPUT_TOKENS: integer('tokens of one answer of the model', 2_000, 100, 100_000),
    AI_TOKENS_PER_DAY: integer(
      'tokens an organization may use in a day (UTC)',
      1_000_000,
      1,
      1_000_000_000_000,
    ),
    AI_INPUT_PRICE: integer('price of a million input tokens, in cents', 0, 0, 1_000_000),
    AI_OUTPUT_PRICE: integer('price of a million output tokens, in cents', 0, 0, 1_000_000),
    AI_COST_PER_DAY: integer('cents an organization may spend in a day (UTC); 0: any', 0, 0, 1_000_000_000),
  },
  Monitoring: {
    METRICS_TOKEN: text(
      'bearer token that GET /metrics asks for; unset: in production there are no metrics, elsewhere for who asks from this machine',
      undefined,
      'YOUR_TOKEN',
    ),
    OTEL_EXPORTER_OTLP_ENDPOINT: url(
      'collector that traces are sent to by OTLP over HTTP; unset: nothing is traced',
      ['https:', 'http:'],
      'http://collector:4318',
    ),
    OTEL_EXPORTER_OTLP_HEADERS: list(
      'name=value pairs it is sent, values percent-encoded',
      'authorization=Bearer%20YOUR_KEY',
      entry => {
        if (!/^[\w-]+=(?:[^%\s]|%[0-9A-Fa-f]{2})*$/.test(entry)) throw new Error('expects name=value pairs');
      },
    ),
    OTEL_SERVICE_NAME: text('name of the service in traces', 'typed-collections'),
    OTEL_TRACES_SAMPLER_ARG: fraction(
      'share of requests to trace, unless their traceparent says otherwise',
      1,
    ),
  },
  'Rate limits': {
    RATE_LIMITS: choice('off switches off every limit (never in production)', 'on', ['on', 'off']),
    RATE_LIMIT_DEFAULT: integer('requests per caller and minute', 6000, 1, 10_000_000),
    RATE_LIMIT_WRITE: integer('inserts and upserts per caller and minute', 3000, 1, 10_000_000),
    RATE_LIMIT_BULK: integer('bulk inserts per caller and minute', 300, 1, 10_000_000),
    RATE_LIMIT_MCP: integer('MCP messages per caller and minute', 600, 1, 10_000_000),
    RATE_LIMIT_ASK: integer('questions per caller and minute', 20, 1, 10_000_000),
    RATE_LIMIT_DOMAIN_CHECKS: integer(
      'lookups of the DNS record of a domain per caller and minute',
      10,
      1,
      10_000_000,
    ),
    RATE_LIMIT_WEB_SESSION: integer('web session exchanges per source IP and minute', 30, 1, 10_000_000),
    RATE_LIMIT_ANONYMOUS: integer('anonymous logins per source IP and minute', 10, 1, 10_000_000),
    RATE_LIMIT_LOGIN: integer('logins through a provider per source IP and minute', 30, 1, 10_000_000),
    RATE_LIMIT_AUTHORIZATION: integer(
      'requests to the authorization server per source IP and minute',
      120,
      1,
      10_000_000,
    ),
    RATE_LIMIT_CLIENT_REGISTRATION: integer(
      'clients that register themselves per source IP and minute',
      10,
      1,
      10_000_000,
    ),
    RATE_LIMIT_TOKEN_EXCHANGE: integer('token exchanges per source IP and minute', 60, 1, 10_000_000),
    RATE_LIMIT_AUTH_FAILURES: integer(
      'refused credentials, and refused bodies without one, per source IP and minute; good ones always pass',
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
  /** PUBLIC_URL without a trailing slash, or the address the service listens on. */
  readonly PUBLIC_URL: string;
  /** Of `loopback` what it comes to. */
  readonly OIDC_DYNAMIC_REGISTRATION: 'on' | 'off';
}
