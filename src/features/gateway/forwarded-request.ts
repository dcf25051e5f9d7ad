import type { IncomingHttpHeaders } from 'node:http';
import { PlatformError } from '../../base/kernel/errors.js';
import { activeMembership, type Principal } from '../../base/kernel/principal.js';

/**
 * Path and query for the upstream, as the client sent them. Throws 404 for a path that an upstream could resolve to one
 * outside of the prefix, in whatever way its dot segments are written.
 */
export function forwardedPath(url: string): string {
  const [path = ''] = url.split('?', 1);
  const segments = path
    // Decodes any number of encodings: each server on the way may decode once more.
    .replace(/%(?:25)+/g, '%')
    .replace(/%2f|%5c|\\/gi, '/')
    .replace(/%2e/gi, '.')
    .split('/')
    // Some servers ignore parameters of a segment, which follow a semicolon (RFC 3986, 3.3).
    .map(segment => segment.split(';', 1)[0]);
  if (segments.some(segment => segment === '.' || segment === '..')) {
    throw new PlatformError('NotFound', 'There is no route at this path.');
  }
  return url;
}

/** Hop-by-hop headers (RFC 9110, 7.6.1), and `expect`, which this server has answered already. */
const HOP_BY_HOP = [
  'connection',
  'keep-alive',
  'proxy-authenticate',
  'proxy-authorization',
  'proxy-connection',
  'te',
  'trailer',
  'transfer-encoding',
  'upgrade',
  'http2-settings',
  'expect',
];
/** The caller's credentials, and headers that only the gateway may set. */
const GATEWAY_ONLY = ['authorization', 'cookie', 'x-correlation-id', 'forwarded', 'x-real-ip'];
const GATEWAY_PREFIXES = ['x-platform-', 'x-forwarded-'];
const NOT_PASSED = new Set([...HOP_BY_HOP, ...GATEWAY_ONLY]);
/** Removing these would change what the request means, so `Connection` cannot name them. */
const FRAMING = new Set(['host', 'content-length']);

/**
 * The headers of a request for the upstream: without credentials, hop-by-hop headers, and any that the upstream could
 * read as one of the gateway's. Many servers read `_` and other characters in a name as `-`.
 */
export function passedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const listed = connectionOptions(headers.connection);
  const passed = Object.entries(headers).filter(([name]) => {
    const normalized = name.replace(/[^a-z0-9]/g, '-');
    if (NOT_PASSED.has(normalized) || GATEWAY_PREFIXES.some(start => normalized.startsWith(start)))
      return false;
    return FRAMING.has(name) || !listed.has(name);
  });
  return { ...Object.fromEntries(passed), ...framing(headers) };
}

/** The headers of a response for the client. Cookies are dropped, because no cookie is ever sent to an upstream. */
export function returnedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const listed = connectionOptions(headers.connection);
  const dropped = new Set([...HOP_BY_HOP, 'set-cookie']);
  const kept = Object.entries(headers).filter(
    ([name]) => !dropped.has(name) && (FRAMING.has(name) || !listed.has(name)),
  );
  return Object.fromEntries(kept);
}

/** How the body is delimited. Without a length, Node would announce a chunked body where there is none. */
function framing(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' };
  return { 'content-length': headers['content-length'] ?? '0' };
}

function connectionOptions(connection: string | undefined): Set<string> {
  return new Set((connection ?? '').split(',').map(name => name.trim().toLowerCase()));
}

/** The headers that name the caller to an upstream (platform contract, "Gateway and runtime"). */
export function callerHeaders(caller: Principal): IncomingHttpHeaders {
  const { type, id, actingUserId, sessionId } = caller;
  return {
    'x-platform-user-id': type === 'user' ? id : actingUserId,
    'x-platform-session-id': sessionId,
    'x-platform-org-slug': activeMembership(caller)?.orgSlug,
    'x-platform-agent-id': type === 'agent' ? id : undefined,
  };
}

/** Drops headers without a value, which Node refuses to send. */
export function withoutUndefined(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}
