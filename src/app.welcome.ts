import type { FirstCredentials } from './app.bootstrap.js';
import type { Settings } from './config/settings.js';

/** What the terminal shows once the service listens; after the first start with credentials and what to try. */
export function welcome(settings: Settings, credentials: FirstCredentials | undefined): string {
  const address = settings.PUBLIC_URL;
  const ready = `
  Collections of typed records, ready. Ctrl-C stops it.

  Address       ${address}
  Swagger UI    ${address}/docs
`;
  const rest = credentials === undefined ? again() : first(settings, credentials);
  return `${ready}${rest}\n`;
}

function again(): string {
  return `
  The credentials were shown at the first start. A new sign-in link: npm run cli -- sign-in
`;
}

function first(settings: Settings, { orgSlug, accessToken, orgApiKey, signInUrl }: FirstCredentials): string {
  return `
  Access token  ${accessToken}
  Org API key   ${orgApiKey}
                shown this once; they are the owner's and everything in organization "${orgSlug}" is theirs

  Sign in with a browser, once, within ${settings.WEB_SESSION_TICKET_MAX_TTL} seconds:

${signInUrl}

  Create a collection, insert two records, ask for one of them:

${commands(settings.PUBLIC_URL, orgApiKey).join('\n\n')}
`;
}

/** Not indented, so that they can be pasted; `-w` ends the answer with a line break. */
function commands(address: string, key: string): string[] {
  const call = (path: string, body: string) =>
    `curl -s -w '\\n' "${address}${path}" -H 'x-platform-api-key: ${key}' -H 'content-type: application/json' \\\n  -d '${body}'`;
  const create = call(
    '/v1/collections',
    '{"name":"books","properties":{"title":{"type":"text"},"year":{"type":"integer"}}}',
  );
  return [
    `BOOKS=$(${create} \\\n  | sed 's/.*"collection_id":"\\([^"]*\\)".*/\\1/') && echo "Created $BOOKS"`,
    call(
      '/v1/collections/$BOOKS/data',
      '{"records":[{"title":"Emma","year":1815},{"title":"Ulysses","year":1922,"city":"Dublin"}]}',
    ),
    call('/v1/collections/$BOOKS/data/query', '{"filter":{"year":{"$gt":1900}}}'),
  ];
}
