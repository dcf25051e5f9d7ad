import type { IncomingMessage } from 'node:http';
import type { Response } from 'express';
import { newId } from '../../../base/kernel/id.js';
import { withoutCredentials } from '../logger.js';
import type { PlatformRequest } from '../platform-request.js';
import type { ValueHeader } from './fixed-headers.js';
import type { FirstStep } from './platform-adapter.js';

const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/;

const CORRELATION_ID = 'x-correlation-id';

/** Sets the correlation id for logs and audit: the client's `x-correlation-id` if it is safe, else a new id. */
export const correlationId: FirstStep = request => {
  const given = request.headers[CORRELATION_ID];
  request.correlationId = isSafe(given) ? given : newId();
};

/** The header of every response with the correlation id of its request. */
export const CORRELATION_HEADER: ValueHeader = {
  name: CORRELATION_ID,
  valueFor: request => (request as Partial<PlatformRequest>).correlationId,
};

/** False for text that looks like a credential in the wrong header: it would appear in logs and audit events. */
function isSafe(given: string | string[] | undefined): given is string {
  return typeof given === 'string' && ACCEPTED.test(given) && withoutCredentials(given) === given;
}

/** The beginning of a target that is a URL. User names and passwords are not part of the host. */
const URL_BEGINNING = /^https?:\/\/(?:[^/?@]*@)?([^/?@]+)/i;

/**
 * Refuses a target that has no path, or a fragment (RFC 9112, 3.2). A target that is an http URL becomes its path, and
 * its host replaces `Host`. Express finds no path in some of the other targets, or throws where nobody catches it.
 */
export const requirePath: FirstStep = (request, response) => {
  const { url, method } = request;
  if (url.includes('#')) {
    return refuse(response, 'The target of the request has a fragment. Leave it out, or encode # as %23.');
  }
  if (url.startsWith('/') || (url === '*' && method === 'OPTIONS')) return false;
  const [beginning, host] = URL_BEGINNING.exec(url) ?? [];
  if (beginning === undefined) {
    return refuse(response, 'The target of the request must be a path that begins with /, or an http URL.');
  }
  const rest = url.slice(beginning.length);
  request.url = rest.startsWith('/') ? rest : `/${rest}`;
  request.headers.host = host;
  return false;
};

/**
 * Refuses a request without `Host`, which HTTP/1.1 requires, and one with two (RFC 9112, 3.2): Node uses the first one,
 * a proxy may use the other.
 */
export const requireOneHost: FirstStep = (request, response) => {
  const hosts = countHosts(request);
  if (hosts === 1 || (hosts === 0 && request.httpVersion === '1.0')) return false;
  return refuse(response, 'Send exactly one Host header.');
};

/**
 * Refuses a body in chunks from HTTP/1.0, which has no chunks: a proxy of that version may find the end of the body
 * elsewhere (RFC 9112, 6.1).
 */
export const refuseOldChunks: FirstStep = ({ httpVersion, headers }, response) => {
  if (httpVersion !== '1.0' || headers['transfer-encoding'] === undefined) return false;
  return refuse(response, 'HTTP/1.0 has no Transfer-Encoding. Send Content-Length, or use HTTP/1.1.');
};

function refuse(response: Response, message: string): true {
  response.writeHead(400, { 'Content-Type': 'application/json; charset=utf-8', Connection: 'close' });
  response.end(JSON.stringify({ error: 'InvalidArguments', message }));
  return true;
}

function countHosts({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}
