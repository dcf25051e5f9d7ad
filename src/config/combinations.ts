import { hostEntry } from './host-entry.js';
import type { Settings } from './settings.js';

const LOOPBACK = new Set(['localhost', '127.0.0.1', '[::1]']);

const ALGORITHMS_OF_FAMILY: Record<Settings['JWKS_KTY'], RegExp> = {
  RSA: /^(RS|PS)/,
  EC: /^ES/,
  OKP: /^EdDSA$/,
};

/** True for the hosts that never leave this machine. */
export function isLoopbackHost(hostname: string): boolean {
  return LOOPBACK.has(hostname);
}

/** Plain http leaves the process only to hosts that are listed for it. */
function mayBeReached({ AI_BASE_URL, OUTBOUND_ALLOW_INSECURE_HOSTS }: Settings): boolean {
  const { protocol, hostname } = new URL(AI_BASE_URL ?? 'https://unset');
  return (
    protocol === 'https:' || OUTBOUND_ALLOW_INSECURE_HOSTS.some(entry => hostEntry(entry).host === hostname)
  );
}

/** What is wrong with settings that are each fine alone; empty when they fit together. */
export function checkCombinations(settings: Settings): string[] {
  const production = settings.NODE_ENV === 'production';
  const publicUrl = new URL(settings.PUBLIC_URL);
  const refusals: [boolean, string][] = [
    [
      !ALGORITHMS_OF_FAMILY[settings.JWKS_KTY].test(settings.JWKS_ALG),
      `JWKS_ALG ${settings.JWKS_ALG} cannot be made with keys of JWKS_KTY ${settings.JWKS_KTY}`,
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
      'SECRETS_MASTER_KEYS has two keys of one name',
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
      settings.AI_ADAPTER === 'openai' && !mayBeReached(settings),
      'AI_BASE_URL expects https, unless OUTBOUND_ALLOW_INSECURE_HOSTS names its host',
    ],
    [
      settings.AI_COST_PER_DAY > 0 && settings.AI_INPUT_PRICE + settings.AI_OUTPUT_PRICE === 0,
      'AI_COST_PER_DAY needs AI_INPUT_PRICE and AI_OUTPUT_PRICE',
    ],
    [
      production && publicUrl.protocol === 'http:' && !isLoopbackHost(publicUrl.hostname),
      'PUBLIC_URL must be https in production unless it is loopback',
    ],
  ];
  return refusals.filter(([refused]) => refused).map(([, reason]) => reason);
}

/** What a master key is called: the part before the colon. */
function nameOf(entry: string): string {
  return entry.slice(0, entry.indexOf(':'));
}
