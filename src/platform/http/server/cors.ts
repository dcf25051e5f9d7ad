import type { Settings } from '../../config/settings.js';
import { isBelow } from '../../config/upstreams.js';
import type { FirstStep } from './platform-adapter.js';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
/** Request headers that pages of allowed origins may send, besides those that CORS always allows. */
const REQUEST_HEADERS = [
  ...['Authorization', 'Content-Type', 'Content-Encoding', 'If-Match', 'If-None-Match', 'Idempotency-Key'],
  ...['Last-Event-ID', 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id'],
  ...['x-client-version', 'x-correlation-id', 'x-platform-agent-id', 'x-platform-api-key'],
  ...['traceparent', 'tracestate'],
].join(', ');
/** Response headers that such pages may read, besides those that CORS always allows. */
const EXPOSED_HEADERS = [
  ...['Allow', 'Content-Disposition', 'ETag', 'Idempotency-Replayed', 'Mcp-Session-Id', 'Retry-After'],
  ...['RateLimit', 'RateLimit-Limit', 'RateLimit-Policy', 'RateLimit-Remaining', 'RateLimit-Reset'],
  ...['WWW-Authenticate', 'x-correlation-id', 'x-service-version'],
].join(', ');
/** Seconds for which browsers cache a preflight response. No browser caches it for longer than two hours. */
const MAX_AGE = '7200';

/** Matches the origins of pages on this machine. */
const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;
/** Paths that every page may read without cookies: OAuth endpoints for clients, which answer preflights themselves. */
const OPEN_PATHS = ['/.well-known', '/oidc/.well-known', '/oidc/jwks', '/oidc/reg', '/oidc/token'];
/** Paths that no page of another origin may read: sign-in, consent and metrics. */
const CLOSED_PATHS = ['/oidc', '/metrics'];

/** What pages of an origin may do with responses of the API. */
export type OriginRight = 'with-cookie' | 'without-cookie' | 'none';

/**
 * The rights of origins. Pages of PLATFORM_ORIGINS may use the session cookie; those of CORS_ORIGINS only keys and
 * tokens. Origins are compared as strings, because browsers write each origin in one way only.
 */
export function originRights({
  NODE_ENV,
  CORS_ORIGINS,
  PLATFORM_ORIGINS,
}: Pick<Settings, 'NODE_ENV' | 'CORS_ORIGINS' | 'PLATFORM_ORIGINS'>): (origin: string) => OriginRight {
  const trusted = new Set(PLATFORM_ORIGINS);
  const listed = new Set(CORS_ORIGINS);
  const loopback = CORS_ORIGINS === undefined && NODE_ENV !== 'production';
  return origin => {
    if (trusted.has(origin)) return 'with-cookie';
    const allowed = listed.has('*') || listed.has(origin) || (loopback && LOOPBACK_ORIGIN.test(origin));
    return allowed ? 'without-cookie' : 'none';
  };
}

/**
 * Implements CORS (Fetch standard, 3.3): sets the headers of every response, also of errors, and answers preflights
 * before authentication. Requests of other origins get a response without these headers, which the browser hides from
 * the page.
 */
export function cors(settings: Settings): FirstStep {
  const rightOf = originRights(settings);
  const isAny = settings.CORS_ORIGINS?.includes('*') ?? false;
  return (request, response) => {
    const { origin } = request.headers;
    if (origin === undefined) return false;
    const path = request.url.split('?', 1)[0] as string;
    if (isBelow(path, OPEN_PATHS)) {
      response.setHeader('Access-Control-Allow-Origin', '*');
      return false;
    }
    const right = isBelow(path, CLOSED_PATHS) ? 'none' : rightOf(origin);
    if (right === 'none') return false;
    const named = right === 'with-cookie' || !isAny;
    response.setHeader('Access-Control-Allow-Origin', named ? origin : '*');
    if (right === 'with-cookie') response.setHeader('Access-Control-Allow-Credentials', 'true');
    if (request.method !== 'OPTIONS' || request.headers['access-control-request-method'] === undefined) {
      response.setHeader('Access-Control-Expose-Headers', EXPOSED_HEADERS);
      return false;
    }
    response.writeHead(204, {
      'Access-Control-Allow-Methods': METHODS,
      'Access-Control-Allow-Headers': REQUEST_HEADERS,
      'Access-Control-Max-Age': MAX_AGE,
    });
    response.end();
    return true;
  };
}
