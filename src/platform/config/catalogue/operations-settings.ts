import { choice, fraction, integer, list, type Setting, text, url } from '../setting.js';

/** What operators watch, and how many requests callers may send. */
export const OPERATIONS_SETTINGS = {
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
    RATE_LIMIT_DEFAULT: integer(
      'requests per caller and minute, of collections and of the rest separately',
      6000,
      1,
      10_000_000,
    ),
    RATE_LIMIT_WRITE: integer('inserts and upserts per caller and minute', 3000, 1, 10_000_000),
    RATE_LIMIT_BULK: integer('bulk inserts per caller and minute', 300, 1, 10_000_000),
    RATE_LIMIT_MCP: integer('MCP messages per caller and minute', 600, 1, 10_000_000),
    RATE_LIMIT_ASK: integer('questions and suggested schemas per caller and minute', 20, 1, 10_000_000),
    RATE_LIMIT_DOMAIN_CHECKS: integer(
      'look-ups of the DNS record of a domain per caller and minute',
      10,
      1,
      10_000_000,
    ),
    RATE_LIMIT_ORGS: integer('organizations created per caller and minute', 300, 1, 10_000_000),
    RATE_LIMIT_LOGIN_PROVIDERS: integer(
      'lists of the ways to sign in per source address and minute',
      300,
      1,
      10_000_000,
    ),
    RATE_LIMIT_SERVICE_ACCOUNT_TOKENS: integer(
      'tokens of service accounts per source address and minute',
      300,
      1,
      10_000_000,
    ),
    RATE_LIMIT_WEB_SESSION: integer('web session exchanges per source address and minute', 30, 1, 10_000_000),
    RATE_LIMIT_ANONYMOUS: integer('anonymous logins per source address and minute', 10, 1, 10_000_000),
    RATE_LIMIT_ANONYMOUS_READS: integer(
      'reads of records per anonymous caller and minute, and per source address of anonymous callers',
      600,
      1,
      10_000_000,
    ),
    RATE_LIMIT_ANONYMOUS_WRITES: integer(
      'writes of records per anonymous caller and minute, and per source address of anonymous callers',
      60,
      1,
      10_000_000,
    ),
    RATE_LIMIT_LOGIN: integer(
      'logins through a provider, with passkeys, by invitations, by recovery links and with codes or links of e-mails, each per source address and minute',
      30,
      1,
      10_000_000,
    ),
    RATE_LIMIT_EMAIL_LOGIN: integer(
      'sign-ins by e-mail that begin per source address and minute',
      10,
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
