import type { IncomingHttpHeaders } from 'node:http';
import type { Settings } from '../config/settings.js';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** True for methods that change nothing (RFC 9110, 9.2.1). */
export function isSafeMethod(method: string): boolean {
  return SAFE_METHODS.has(method);
}

/**
 * True when a browser shows that one of our own pages made the request: fetch metadata that scripts cannot set,
 * else an origin on the list. Without either, a request that carries a cookie may be anyone's.
 */
export function isFromOurPages(
  headers: IncomingHttpHeaders,
  settings: Pick<Settings, 'PUBLIC_URL' | 'PLATFORM_ORIGINS'>,
): boolean {
  const site = headers['sec-fetch-site'];
  if (site === 'same-origin' || site === 'none') return true;
  const origin = headers.origin;
  if (origin === undefined) return false;
  return origin === new URL(settings.PUBLIC_URL).origin || settings.PLATFORM_ORIGINS.includes(origin);
}
