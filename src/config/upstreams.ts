/** An internal service behind the gateway, and the paths that are forwarded to it. */
export interface Upstream {
  readonly prefix: string;
  /** Origin of the service: where it is called, and the audience of the identities it is sent. */
  readonly origin: string;
}

/** Where the platform's own routes are: nothing below is another service's. A test holds it against the routes. */
const OWN_PATHS = [
  '/v1',
  '/v2/login',
  '/v2/logout',
  '/v2/me',
  '/v2/orgs',
  '/v2/user',
  '/v2/workspaces',
  '/oidc',
  '/health',
  '/metrics',
  '/docs',
  '/openapi.json',
  '/.well-known',
];
const PREFIX = /^(\/[A-Za-z0-9_~-]+)+$/;

/** True for a path at or below one of `prefixes`, as the router compares them: whatever their case. */
export function isBelow(path: string, prefixes: readonly string[]): boolean {
  const asked = `${path.toLowerCase()}/`;
  return prefixes.some(prefix => asked.startsWith(`${prefix.toLowerCase()}/`));
}

/** True for a path of the platform itself. */
export function isOwnPath(path: string): boolean {
  return isBelow(path, OWN_PATHS);
}

/** The origin of an address that is nothing but one. Throws with the reason. */
export function originOf(address: string): string {
  const url = URL.canParse(address) ? new URL(address) : undefined;
  const plain = url !== undefined && ['http:', 'https:'].includes(url.protocol) && url.username === '';
  if (!plain || url.href !== `${url.origin}/`) throw new Error('expects origins like http://files:3001');
  return url.origin;
}

/** Reads `{"/v2/files": "http://files:3001"}`; the longest prefixes come first. Throws with the reason. */
export function readUpstreams(text: string): readonly Upstream[] {
  const upstreams = Object.entries(parsed(text)).map(([prefix, address]) => {
    if (!PREFIX.test(prefix)) throw new Error('expects prefixes like /v2/files');
    const own = isOwnPath(prefix) || OWN_PATHS.some(path => isBelow(path, [prefix]));
    if (own) throw new Error(`must not name ${prefix}, where paths of the platform are`);
    return { prefix, origin: originOf(String(address)) };
  });
  return upstreams.sort((one, other) => other.prefix.length - one.prefix.length);
}

function parsed(text: string): object {
  let value: unknown;
  try {
    value = JSON.parse(text);
  } catch {
    throw new Error('is not valid JSON');
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) {
    throw new Error('expects a JSON object of prefixes and origins');
  }
  return value;
}
