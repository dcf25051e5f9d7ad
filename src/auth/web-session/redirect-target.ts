import { isLoopbackHost } from '../../config/load-settings.js';
import type { Settings } from '../../config/settings.js';
import { invalid } from '../../kernel/errors.js';

type RedirectSettings = Pick<
  Settings,
  'PUBLIC_URL' | 'PLATFORM_ORIGINS' | 'WEB_SESSION_ALLOWED_REDIRECT_HOSTS'
>;

const MAX_LENGTH = 2_048;
/** What URL parsers drop or turn into a slash, so that a text means another place than it seems to. */
const DECEPTIVE = /[\p{Cc}\\]|^\s|\s$/u;
/** `https://host…` or `/path`: nothing that a parser would have to complete. */
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
  // Measured as it will be sent: what was minted can always be exchanged.
  if (url.href.length > MAX_LENGTH) return undefined;
  // `/..//host` stays on the origin, but whoever uses its path alone is sent to that host.
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

/** Exact host or host:port; a host without port means the protocol's own. */
function isHost(url: URL, allowed: string): boolean {
  const text = `${url.protocol}//${allowed}`;
  return URL.canParse(text) && new URL(text).host === url.host;
}
