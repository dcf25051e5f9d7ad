/** An internal service behind the gateway, and the paths that are forwarded to it. */
export interface Upstream {
  readonly prefix: string;
  /** Origin of the service: its address, and the audience of the identity tokens that it gets. */
  readonly origin: string;
}

/** Paths of this service's own routes, which cannot be forwarded. A test compares them with the routes. */
const OWN_PATHS = [
  '/console',
  '/v1',
  '/v2/features',
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

/** True for a path at or below one of `prefixes`. Ignores case, as the router does. */
export function isBelow(path: string, prefixes: readonly string[]): boolean {
  const asked = `${path.toLowerCase()}/`;
  return prefixes.some(prefix => asked.startsWith(`${prefix.toLowerCase()}/`));
}

/** True for a path of this service itself. */
export function isOwnPath(path: string): boolean {
  return isBelow(path, OWN_PATHS);
}

/** Reads an address that must be an origin. Throws with the reason. */
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
    if (own) throw new Error(`must not contain ${prefix}, because this service has routes there`);
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
