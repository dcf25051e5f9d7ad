import { nearest } from '../../base/kernel/text.js';
import { SETTINGS } from './settings.js';

const NAMES = Object.values(SETTINGS).flatMap(group => Object.keys(group));
const KNOWN = new Set(NAMES);

/** Shorter names, such as HOSTS, POST or LOG, usually belong to other programs. */
const SHORTEST = 8;

/**
 * Prefixes that only this service uses. Other programs use DATABASE_, OTEL_, LOG_ and NODE_ too, so names with those
 * are reported only if they are similar to a setting.
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
/** Variables that Kubernetes and Docker set for another service, for example MCP_SERVICE_HOST or MCP_PORT_80_TCP. */
const SERVICE_VARIABLE = /_(SERVICE_(HOST|PORT)(_\w+)?|PORT(_\d+_(TCP|UDP)(_\w+)?)?)$/;

/** A warning for each environment variable that looks like a setting but is not one. */
export function unknownSettings(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(environment).flatMap(name => {
    if (KNOWN.has(name) || name.length < SHORTEST || !/^[A-Z]\w*$/.test(name) || SERVICE_VARIABLE.test(name))
      return [];
    const meant = nearest(name, NAMES);
    if (meant !== undefined) return [`${name} is not a setting and has no effect. Did you mean ${meant}?`];
    return OWN_PREFIXES.some(prefix => name.startsWith(prefix))
      ? [`${name} is not a setting and has no effect. .env.example lists all settings.`]
      : [];
  });
}

/** The text of `.env.example`: every setting, commented out, with its meaning and its default or an example. */
export function envExample(): string {
  const groups = Object.entries(SETTINGS).map(([title, group]) => {
    const lines = Object.entries(group).map(
      ([name, setting]) => `# ${setting.doc}\n# ${name}=${setting.example}\n`,
    );
    return `## ${title}\n\n${lines.join('\n')}`;
  });
  return `# Every setting of Typed Collections with its meaning, and its default or an example. Copy this file to .env and\n# uncomment what you change.\n\n${groups.join('\n')}`;
}
