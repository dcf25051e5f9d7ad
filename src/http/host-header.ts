import type { IncomingMessage } from 'node:http';
import type { FirstStep } from './platform-adapter.js';

/**
 * Refuses a request without `Host`, which HTTP/1.1 demands, and one with two (RFC 9112, 3.2): of them Node takes the first,
 * a proxy perhaps the other.
 */
export const requireOneHost: FirstStep = (request, response) => {
  const hosts = countHosts(request);
  if (hosts === 1 || (hosts === 0 && request.httpVersion === '1.0')) return false;
  const body = JSON.stringify({ error: 'InvalidArguments', message: 'Send one Host header.' });
  response.writeHead(400, { 'Content-Type': 'application/json; charset=utf-8', Connection: 'close' });
  response.end(body);
  return true;
};

function countHosts({ rawHeaders }: IncomingMessage): number {
  let hosts = 0;
  for (let index = 0; index < rawHeaders.length; index += 2) {
    const name = rawHeaders[index] as string;
    if (name.length === 4 && name.toLowerCase() === 'host') hosts++;
  }
  return hosts;
}
