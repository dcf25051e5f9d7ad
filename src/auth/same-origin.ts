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

/**
 * False when a browser says that another site, an e-mail or the address bar led here, instead of a page of ours (Fetch
 * Metadata; the origin of a referrer, which no page can make up). The cookie comes along all the same: such a link must
 * not tie whoever signs in next to the account that is signed in now. Programs send no such header, and lead themselves.
 */
export function isLedHereByOurPages(
  headers: IncomingHttpHeaders,
  { PUBLIC_URL, PLATFORM_ORIGINS }: Pick<Settings, 'PUBLIC_URL' | 'PLATFORM_ORIGINS'>,
): boolean {
  const site = headers['sec-fetch-site'];
  if (site === undefined || site === 'same-origin') return true;
  const { referer = '' } = headers;
  if (!URL.canParse(referer)) return false;
  return [new URL(PUBLIC_URL).origin, ...PLATFORM_ORIGINS].includes(new URL(referer).origin);
}
