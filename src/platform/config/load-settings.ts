import { existsSync } from 'node:fs';
import { hostEntry } from './setting.js';
import { SETTINGS, type Settings } from './settings.js';

/**
 * The environment variables of the process; `.env` in the working directory adds missing ones. Only this reads
 * process.env.
 */
export function environment(): Readonly<Record<string, string | undefined>> {
  if (existsSync('.env')) process.loadEnvFile('.env');
  return process.env;
}

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);
/** Values of HOST with which a service listens on all addresses. */
const EVERYWHERE = ['0.0.0.0', '::'];
/** Values of HOST with which a service can be reached at localhost. */
const ON_LOCALHOST = new Set(['localhost', '127.0.0.1', '::1', ...EVERYWHERE]);

const ALGORITHMS_OF_FAMILY: Record<Settings['JWKS_KTY'], RegExp> = {
  RSA: /^(RS|PS)/,
  EC: /^ES/,
  OKP: /^EdDSA$/,
};

/** True for names of this machine itself. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.has(hostname);
}

/** True when AI_BASE_URL is https, or http to a host in OUTBOUND_ALLOW_INSECURE_HOSTS. */
function mayCallModel({ AI_BASE_URL, OUTBOUND_ALLOW_INSECURE_HOSTS }: Settings): boolean {
  const { protocol, hostname } = new URL(AI_BASE_URL ?? 'https://unset');
  return (
    protocol === 'https:' || OUTBOUND_ALLOW_INSECURE_HOSTS.some(entry => hostEntry(entry).host === hostname)
  );
}

/** The problems of settings that are valid one by one but not together. */
function checkCombinations(settings: Settings): string[] {
  const production = settings.NODE_ENV === 'production';
  const publicUrl = new URL(settings.PUBLIC_URL);
  const refusals: [boolean, string][] = [
    [
      !ALGORITHMS_OF_FAMILY[settings.JWKS_KTY].test(settings.JWKS_ALG),
      `JWKS_ALG ${settings.JWKS_ALG} does not work with keys of JWKS_KTY ${settings.JWKS_KTY}`,
    ],
    [
      settings.WEB_SESSION_TICKET_TTL > settings.WEB_SESSION_TICKET_MAX_TTL,
      'WEB_SESSION_TICKET_TTL must not exceed WEB_SESSION_TICKET_MAX_TTL',
    ],
    [
      settings.DATABASE_CITUS === 'on' && settings.DATABASE_REPLICA_URLS.length > 0,
      'DATABASE_REPLICA_URLS cannot be used with DATABASE_CITUS=on: a standby of the coordinator has no records',
    ],
    [
      settings.DATABASE_CITUS === 'on' && settings.DATABASE_URL === undefined,
      'DATABASE_CITUS=on needs DATABASE_URL: the embedded PostgreSQL has no Citus',
    ],
    [
      publicUrl.pathname !== '/' || publicUrl.search !== '' || publicUrl.hash !== '',
      'PUBLIC_URL expects an origin without path, query or fragment',
    ],
    [
      production && settings.SECRETS_MASTER_KEYS.length === 0,
      'SECRETS_MASTER_KEYS is required in production (openssl rand -base64 32, then 2026a:<that>)',
    ],
    [
      new Set(settings.SECRETS_MASTER_KEYS.map(nameOf)).size < settings.SECRETS_MASTER_KEYS.length,
      'SECRETS_MASTER_KEYS has two keys with the same name',
    ],
    [production && settings.DATABASE_URL === undefined, 'DATABASE_URL is required in production'],
    [
      settings.DATABASE_LISTEN_URL !== undefined && settings.DATABASE_URL === undefined,
      'DATABASE_LISTEN_URL needs DATABASE_URL',
    ],
    [
      settings.METRICS_TOKEN !== undefined && settings.METRICS_TOKEN.length < 32,
      'METRICS_TOKEN expects 32 characters or more (openssl rand -hex 32)',
    ],
    [production && settings.RATE_LIMITS === 'off', 'RATE_LIMITS=off is refused in production'],
    [
      !settings.PLATFORM_ROLES.includes('runtime') && settings.RUNTIME_URL === undefined,
      'PLATFORM_ROLES gateway alone needs RUNTIME_URL',
    ],
    [
      !settings.PLATFORM_ROLES.includes('gateway') && settings.GATEWAY_UPSTREAMS.length > 0,
      'GATEWAY_UPSTREAMS needs the role gateway in PLATFORM_ROLES',
    ],
    [
      settings.AI_ADAPTER === 'openai' &&
        (settings.AI_BASE_URL === undefined || settings.AI_MODEL === undefined),
      'AI_ADAPTER openai needs AI_BASE_URL and AI_MODEL',
    ],
    [
      settings.AI_ADAPTER === 'openai' && !mayCallModel(settings),
      'AI_BASE_URL expects https, unless OUTBOUND_ALLOW_INSECURE_HOSTS names its host',
    ],
    [
      settings.AI_COST_PER_DAY > 0 && settings.AI_INPUT_PRICE + settings.AI_OUTPUT_PRICE === 0,
      'AI_COST_PER_DAY needs AI_INPUT_PRICE and AI_OUTPUT_PRICE',
    ],
    [
      (settings.MAIL_URL === undefined) !== (settings.MAIL_FROM === undefined),
      'MAIL_URL and MAIL_FROM are set together or not at all',
    ],
    [
      production && settings.EMAIL_LOGIN === 'on' && settings.MAIL_URL === undefined,
      'EMAIL_LOGIN=on needs MAIL_URL',
    ],
    [
      production && publicUrl.protocol === 'http:' && !isLoopbackHost(publicUrl.hostname),
      'PUBLIC_URL must be https in production unless it is loopback',
    ],
  ];
  return refusals.filter(([refused]) => refused).map(([, reason]) => reason);
}

/** The name of a master key: the part before the colon. */
function nameOf(entry: string): string {
  return entry.slice(0, entry.indexOf(':'));
}

/** The service cannot start with these settings. `problems` names each setting with the reason. */
export class SettingsError extends Error {
  constructor(readonly problems: readonly string[]) {
    super(`The settings are not usable:\n${problems.map(problem => `  - ${problem}`).join('\n')}`);
    this.name = 'SettingsError';
  }
}

/** Reads and checks all settings. Throws SettingsError with all problems. */
export function loadSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const values: Record<string, unknown> = {};
  const problems: string[] = [];
  for (const [name, setting] of Object.values(SETTINGS).flatMap(group => Object.entries(group))) {
    const given = environment[name]?.trim();
    try {
      values[name] =
        given === undefined || given === '' ? setting.fallback : setting.parse(given, environment);
    } catch (error) {
      problems.push(`${name} ${(error as Error).message}`);
    }
  }
  if (problems.length > 0) throw new SettingsError(problems);
  const settings = values as unknown as Settings;
  const publicUrl = (values.PUBLIC_URL as string | undefined)?.replace(/\/+$/, '');
  values.PUBLIC_URL = publicUrl ?? defaultPublicUrl(settings);
  if ((settings.OIDC_DYNAMIC_REGISTRATION as string) === 'loopback') {
    values.OIDC_DYNAMIC_REGISTRATION = isForOneMachine(settings) ? 'on' : 'off';
  }
  const clashes = checkCombinations(settings);
  if (settings.NODE_ENV === 'production' && publicUrl === undefined) {
    clashes.push(
      'PUBLIC_URL is required in production: the address that clients use, like https://api.example.com',
    );
  }
  if (clashes.length > 0) throw new SettingsError(clashes);
  return settings;
}

/** True for a service that can only be called from this machine. */
function isForOneMachine({ NODE_ENV, PUBLIC_URL }: Settings): boolean {
  return NODE_ENV !== 'production' && isLoopbackHost(new URL(PUBLIC_URL).hostname);
}

/**
 * PUBLIC_URL if it is not set: localhost, because browsers have no passkeys at IP addresses. A service that listens on an
 * address of the network only cannot be reached there, so it names that address.
 */
export function defaultPublicUrl(settings: Pick<Settings, 'HOST' | 'PORT'>): string {
  const { HOST, PORT } = settings;
  return ON_LOCALHOST.has(HOST) ? `http://localhost:${PORT}` : listeningUrl(settings);
}

/**
 * The address that the process listens on. Clients cannot call 0.0.0.0, so a process that listens everywhere names
 * loopback.
 */
export function listeningUrl({ HOST, PORT }: Pick<Settings, 'HOST' | 'PORT'>): string {
  const host = EVERYWHERE.includes(HOST) ? '127.0.0.1' : HOST;
  return `http://${host.includes(':') ? `[${host}]` : host}:${PORT}`;
}
