import type { FirstCredentials } from './app.bootstrap.js';
import type { Settings } from './config/settings.js';

/** What the terminal shows once the service listens; after the first start with credentials and what to try. */
export function welcome(settings: Settings, credentials: FirstCredentials | undefined): string {
  const address = settings.PUBLIC_URL;
  const ready = `
  Collections of typed records, ready.

  Address      ${address}
  Swagger UI   ${address}/docs
`;
  return credentials === undefined
    ? `${ready}
  Not the first start: the credentials were shown then. A new sign-in link: npm run cli -- sign-in

`
    : `${ready}
  Access token ${credentials.accessToken}
  Org API key  ${credentials.orgApiKey}
  (shown this once; organization "${credentials.orgSlug}")

  Sign in with a browser, once, within ${settings.WEB_SESSION_TICKET_MAX_TTL / 60} minutes:
  ${credentials.signInUrl}

  Try it: create a collection, insert a record, query it.

${commands(address, credentials.orgApiKey)}
`;
}

function commands(address: string, key: string): string {
  const send = (path: string, body: string) =>
    `curl -s ${address}${path} -H 'x-platform-api-key: ${key}' -H 'content-type: application/json' -d '${body}'`;
  const create = '{"name":"books","properties":{"title":{"type":"text"},"year":{"type":"integer"}}}';
  const insert = '{"records":[{"title":"Emma","year":1815},{"title":"Ulysses","year":1922,"city":"Dublin"}]}';
  return [
    `  ID=$(${send('/v1/collections', create)} | sed 's/.*"collection_id":"\\([^"]*\\)".*/\\1/'); echo "$ID"`,
    `  ${send('/v1/collections/$ID/data', insert)}; echo`,
    `  ${send('/v1/collections/$ID/data/query', '{"filter":{"year":{"$gt":1900}}}')}; echo`,
  ].join('\n\n');
}
