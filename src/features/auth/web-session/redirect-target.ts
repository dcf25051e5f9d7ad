import { invalid } from '../../../base/kernel/errors.js';
import { isLoopbackHost } from '../../../platform/config/load-settings.js';
import type { Settings } from '../../../platform/config/settings.js';

type RedirectSettings = Pick<
  Settings,
  'PUBLIC_URL' | 'PLATFORM_ORIGINS' | 'WEB_SESSION_ALLOWED_REDIRECT_HOSTS'
>;

const MAX_LENGTH = 2_048;
/** Characters that URL parsers drop or turn into a slash, so that the URL differs from what it looks like. */
const DECEPTIVE = /[\p{Cc}\\]|^\s|\s$/u;
/** `https://host…` or `/path`. Other relative forms are refused. */
const ABSOLUTE = /^https?:\/\/[^/?#]/i;
const ROOT_RELATIVE = /^\/(?!\/)/;

/**
 * The absolute, normalised URL of a redirect target that points at the platform itself (spec rule 10), else
 * undefined. Callers compare and send this URL, never the text that was given.
 */
export function redirectTarget(value: string, settings: RedirectSettings): string | undefined {
  if (!value.isWellFormed() || DECEPTIVE.test(value)) return undefined;
  if (!ABSOLUTE.test(value) && !ROOT_RELATIVE.test(value)) return undefined;
  if (!URL.canParse(value, settings.PUBLIC_URL)) return undefined;
  const url = new URL(value, settings.PUBLIC_URL);
  // The length of the URL as it is sent, so that every minted ticket can be exchanged.
  if (url.href.length > MAX_LENGTH) return undefined;
  // `/..//host` stays on this origin, but its path alone would mean another host.
  if (url.username !== '' || url.password !== '' || url.pathname.startsWith('//')) return undefined;
  return isOurs(url, settings) ? url.href : undefined;
}

/** The same. Throws 400 when the redirect target is not allowed. */
export function allowedRedirect(value: string, settings: RedirectSettings): string {
  const target = redirectTarget(value, settings);
  if (target !== undefined) return target;
  throw invalid('redirect: expects a path that begins with one /, or a URL of this platform');
}

function isOurs(url: URL, settings: RedirectSettings): boolean {
  if (url.origin === new URL(settings.PUBLIC_URL).origin) return true;
  if (settings.PLATFORM_ORIGINS.includes(url.origin)) return true;
  const secure = url.protocol === 'https:' || isLoopbackHost(url.hostname);
  return secure && settings.WEB_SESSION_ALLOWED_REDIRECT_HOSTS.some(host => isHost(url, host));
}

/** Matches an exact host or host:port. A host without a port means the default port of the protocol. */
function isHost(url: URL, allowed: string): boolean {
  const text = `${url.protocol}//${allowed}`;
  return URL.canParse(text) && new URL(text).host === url.host;
}
