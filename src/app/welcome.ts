import { resolve } from 'node:path';
import { defaultPublicUrl, listeningUrl } from '../platform/config/load-settings.js';
import type { Settings } from '../platform/config/settings.js';
import type { FirstCredentials } from './bootstrap.js';

/**
 * The text for the terminal when the service listens. After the first start it includes credentials and commands to
 * try.
 */
export function welcome(settings: Settings, credentials: FirstCredentials | undefined): string {
  const rest = credentials === undefined ? again() : first(settings, credentials);
  return `
  Typed Collections is ready. Ctrl-C stops it.

${addresses(settings)}
${rest}
`;
}

function isGateway({ PLATFORM_ROLES }: Settings): boolean {
  return PLATFORM_ROLES.includes('gateway');
}

/** True for a runtime without PUBLIC_URL: it cannot be behind a gateway. */
function lacksGateway(settings: Settings): boolean {
  return !isGateway(settings) && settings.PUBLIC_URL === defaultPublicUrl(settings);
}

function addresses(settings: Settings): string {
  const { PUBLIC_URL, CONSOLE, DOCS } = settings;
  if (isGateway(settings)) {
    return [
      `  Address       ${PUBLIC_URL}`,
      ...(CONSOLE === 'on' ? [`  Console       ${PUBLIC_URL}/console`] : []),
      ...(DOCS === 'on' ? [`  Swagger UI    ${PUBLIC_URL}/docs`] : []),
    ].join('\n');
  }
  const rest = lacksGateway(settings)
    ? 'unknown: PUBLIC_URL is to be its address; a runtime alone has no sign-in, no console and no Swagger UI'
    : `${PUBLIC_URL}, for everything else: console, sign-in, organizations, Swagger UI at /docs`;
  return `  Address       ${listeningUrl(settings)}, for /v1 alone
  Gateway       ${rest}`;
}

function again(): string {
  return `
  Credentials are shown at the first start only. A new sign-in link: npm run cli -- sign-in
  A new API key: npm run cli -- keys create --name <name> --permissions '*'
`;
}

/**
 * In production the output is collected with the logs, so secrets are printed only if they have no other destination.
 */
function first(settings: Settings, credentials: FirstCredentials): string {
  const { NODE_ENV, BOOTSTRAP_FILE } = settings;
  if (NODE_ENV !== 'production') return shown(settings, credentials);
  if (BOOTSTRAP_FILE === undefined) return `${shown(settings, credentials)}${warning(credentials)}`;
  return `
  The owner's access token, key and sign-in link, and so everything in organization "${credentials.orgSlug}":

${resolve(BOOTSTRAP_FILE)}

  They are nowhere else, and only the account of this service may read the file. Copy them and delete it.
`;
}

function shown(settings: Settings, { orgSlug, accessToken, orgApiKey, signInUrl }: FirstCredentials): string {
  return `
  Access token  ${accessToken}
  Org API key   ${orgApiKey}
                Shown only once. Both belong to the owner and give full access to organization "${orgSlug}".

${signIn(settings, signInUrl)}

  Create a collection, insert two records, ask for one of them:

${commands(isGateway(settings) ? settings.PUBLIC_URL : listeningUrl(settings), orgApiKey).join('\n\n')}
`;
}

function signIn(settings: Settings, url: string): string {
  if (lacksGateway(settings)) {
    return '  Sign in with a browser once PUBLIC_URL is the address of a gateway: npm run cli -- sign-in';
  }
  return `  Sign in with a browser, once, within ${settings.WEB_SESSION_TICKET_MAX_TTL} seconds:

${url}`;
}

function warning({ orgSlug }: FirstCredentials): string {
  return `
  Everybody who can read the log of this process can read these too. Create new ones, then revoke these: the key
  (DELETE /v2/orgs/${orgSlug}/api-keys/{keyId}) and the token (DELETE /v2/user/accessTokens/{id}).
  With BOOTSTRAP_FILE, a first start writes them to that file instead.
`;
}

/** The commands are not indented, so that they can be pasted. `-w` ends the response with a line break. */
function commands(address: string, key: string): string[] {
  const call = (path: string, body: string) =>
    `curl -s -w '\\n' "${address}${path}" -H 'x-platform-api-key: ${key}' -H 'content-type: application/json' \\\n  -d '${body}'`;
  return [
    call(
      '/v1/collections',
      '{"name":"books","properties":{"title":{"type":"text"},"year":{"type":"integer"}}}',
    ),
    call(
      '/v1/collections/books/data',
      '{"records":[{"title":"Emma","year":1815},{"title":"Ulysses","year":1922,"city":"Dublin"}]}',
    ),
    call('/v1/collections/books/data/query', '{"filter":{"year":{"$gt":1900}}}'),
  ];
}
