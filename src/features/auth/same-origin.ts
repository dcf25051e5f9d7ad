import type { IncomingHttpHeaders } from 'node:http';
import type { Settings } from '../../platform/config/settings.js';

const SAFE_METHODS = new Set(['GET', 'HEAD', 'OPTIONS']);

/** True for methods that change nothing (RFC 9110, 9.2.1). */
export function isSafeMethod(method: string): boolean {
  return SAFE_METHODS.has(method);
}

/**
 * True when the headers of a browser show that a page of this platform sent the request: by fetch metadata, which scripts
 * cannot set, or by an allowed origin. A request with a cookie and without these headers may be forged.
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
 * False when the browser came here from another site, an e-mail or the address bar, and not from a page of this platform
 * (fetch metadata, or the origin of the referrer, which pages cannot forge). The browser sends its cookie nevertheless.
 * Such a request must not connect the next sign-in with the account that is signed in now. Programs send no such headers and
 * count as our pages.
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
