import { PlatformError } from '../kernel/errors.js';

/** A request may name its target in full (RFC 9112, 3.2.2). */
const AUTHORITY = /^https?:\/\/[^/?#]*/i;

/**
 * Path and query as a service behind the gateway is asked for them: those that were sent. Throws 404 for a path that
 * the service could take for one outside of the prefix, however the steps upward are written.
 */
export function forwardedPath(url: string): string {
  const target = url.replace(AUTHORITY, '');
  const [path = ''] = target.split('?', 1);
  const segments = path
    // However often it is encoded: a service may decode what another one in between has decoded once.
    .replace(/%(?:25)+/g, '%')
    .replace(/%2f|%5c|\\/gi, '/')
    .replace(/%2e/gi, '.')
    .split('/')
    // Some servers know parameters of segments, and look at what is before them (RFC 3986, 3.3).
    .map(segment => segment.split(';', 1)[0]);
  if (segments.some(segment => segment === '.' || segment === '..')) {
    throw new PlatformError('NotFound', 'There is nothing at this path.');
  }
  return target;
}
