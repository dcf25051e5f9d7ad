import { nearest } from '../kernel/nearest.js';
import { SETTINGS } from './settings.js';

const NAMES = Object.values(SETTINGS).flatMap(group => Object.keys(group));
const KNOWN = new Set(NAMES);

/** Shorter names are those of other programs: HOSTS, POST, LOG. */
const SHORTEST = 8;

/**
 * First words that only settings of this service begin with; other programs read DATABASE_, OTEL_, LOG_ and NODE_ too,
 * so there only names that are close to a setting count.
 */
const OWN_PREFIXES = [
  'ACCESS_TOKENS_',
  'AUTH_PROVIDERS_',
  'BOOTSTRAP_',
  'CHANGES_',
  'COLLECTION_',
  'JWKS_',
  'MCP_',
  'OIDC_',
  'OUTBOUND_',
  'RATE_LIMIT',
  'SHUTDOWN_',
  'WEB_SESSION_',
  'WEBHOOK_',
];
/** What Kubernetes and Docker say about a service called like one of them: MCP_SERVICE_HOST, MCP_PORT_80_TCP. */
const OF_A_NEIGHBOUR = /_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$/;

/** One sentence for each variable of the environment that looks like a setting and is not one. */
export function unknownSettings(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(environment).flatMap(name => {
    if (KNOWN.has(name) || name.length < SHORTEST || !/^[A-Z]\w*$/.test(name) || OF_A_NEIGHBOUR.test(name))
      return [];
    const meant = nearest(name, NAMES);
    if (meant !== undefined) return [`${name} is not a setting and has no effect. Did you mean ${meant}?`];
    return OWN_PREFIXES.some(prefix => name.startsWith(prefix))
      ? [`${name} is not a setting and has no effect. .env.example lists all settings.`]
      : [];
  });
}
