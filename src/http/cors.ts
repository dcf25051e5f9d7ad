import { type Settings } from '../config/settings.js';
import { isBelow } from '../config/upstreams.js';
import type { FirstStep } from './platform-adapter.js';

const METHODS = 'GET, HEAD, POST, PUT, PATCH, DELETE';
/** What requests of the API carry beyond what every page may send. */
const REQUEST_HEADERS = [
  ...['Authorization', 'Content-Type', 'Content-Encoding', 'If-Match', 'If-None-Match', 'Idempotency-Key'],
  ...['Last-Event-ID', 'MCP-Protocol-Version', 'Mcp-Method', 'Mcp-Name', 'Mcp-Session-Id'],
  ...['x-correlation-id', 'x-platform-agent-id', 'x-platform-api-key', 'traceparent', 'tracestate'],
].join(', ');
/** What of an answer a page may read beyond what it always may. */
const EXPOSED_HEADERS = [
  ...['Allow', 'Content-Disposition', 'ETag', 'Idempotency-Replayed', 'Mcp-Session-Id', 'Retry-After'],
  ...['RateLimit', 'RateLimit-Limit', 'RateLimit-Policy', 'RateLimit-Remaining', 'RateLimit-Reset'],
  ...['WWW-Authenticate', 'x-correlation-id'],
].join(', ');
/** Seconds for which a browser remembers a preflight; none remembers it for longer than two hours. */
const MAX_AGE = '7200';

/** As browsers write the origins of pages of this machine. */
const LOOPBACK_ORIGIN = /^https?:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?$/;
/** What any page may read, without cookies: OAuth's endpoints for clients, which answer preflights themselves. */
const OPEN_PATHS = ['/.well-known', '/oidc/.well-known', '/oidc/jwks', '/oidc/reg', '/oidc/token'];
/** Closed to pages of other origins: sign-in, consent and metrics. */
const CLOSED_PATHS = ['/oidc', '/metrics'];

/** What a page of an origin may do with answers of the API. */
export type OriginRight = 'with-cookie' | 'without-cookie' | 'none';

/**
 * Whose pages may use the API from a browser. PLATFORM_ORIGINS may with the cookie; those of CORS_ORIGINS with keys and
 * tokens only. Origins are compared as a whole: a browser writes each in one way.
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
 * Lets pages of other origins use the API (Fetch standard, 3.3): sets the headers of every answer, refusals included, and
 * answers preflights before authentication. An origin without the right gets the response of any other client
 * without these headers, and the browser keeps it from the page.
 */
export function cors(settings: Settings): FirstStep {
  const rightOf = originRights(settings);
  const isAny = settings.CORS_ORIGINS?.includes('*') ?? false;
  return (request, response) => {
    // A cache must not reuse a response for another origin.
    response.setHeader('Vary', 'Origin');
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
