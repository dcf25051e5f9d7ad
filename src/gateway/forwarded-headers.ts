import type { IncomingHttpHeaders } from 'node:http';

/** Between two ends of one connection, and nobody else's business (RFC 9110, 7.6.1); `expect` was answered already. */
const OF_THE_CONNECTION = [
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
/** The caller's credentials, and what the gateway alone says about where a request comes from. */
const OF_THE_GATEWAY = ['authorization', 'cookie', 'x-correlation-id', 'forwarded', 'x-real-ip'];
const OF_THE_GATEWAY_ALL = ['x-platform-', 'x-forwarded-'];
const NOT_PASSED = new Set([...OF_THE_CONNECTION, ...OF_THE_GATEWAY]);
/** Without these a request would be another one; `Connection` cannot take them away. */
const FRAMING = new Set(['host', 'content-length']);

/**
 * The headers of a request as they are passed on: none that is meant for the gateway, none that could be taken for one of
 * its own, whatever stands between the words of its name (many servers read `_` and `-` as the same).
 */
export function passedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const listed = listedIn(headers.connection);
  const passed = Object.entries(headers).filter(([name]) => {
    const spelled = name.replace(/[^a-z0-9]/g, '-');
    if (NOT_PASSED.has(spelled) || OF_THE_GATEWAY_ALL.some(start => spelled.startsWith(start))) return false;
    return FRAMING.has(name) || !listed.has(name);
  });
  return { ...Object.fromEntries(passed), ...framing(headers) };
}

/** The same for an answer. No cookie of a service counts: none is ever sent to it. */
export function returnedHeaders(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  const listed = listedIn(headers.connection);
  const dropped = new Set([...OF_THE_CONNECTION, 'set-cookie']);
  const kept = Object.entries(headers).filter(
    ([name]) => !dropped.has(name) && (FRAMING.has(name) || !listed.has(name)),
  );
  return Object.fromEntries(kept);
}

/** How the end of the body is told. Without either, Node would announce a body that there is not. */
function framing(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  if (headers['transfer-encoding'] !== undefined) return { 'transfer-encoding': 'chunked' };
  return { 'content-length': headers['content-length'] ?? '0' };
}

function listedIn(connection: string | undefined): Set<string> {
  return new Set((connection ?? '').split(',').map(name => name.trim().toLowerCase()));
}
