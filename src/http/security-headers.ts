import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import helmet, { type HelmetOptions } from 'helmet';
import type { FirstStep } from './platform-adapter.js';

/** Sets helmet's headers. They are the same for every request, so helmet is asked once instead of each time. */
export function securityHeaders(options: HelmetOptions): FirstStep {
  const headers = askHelmet(options);
  return (_request, response) => {
    for (const [name, value] of headers) response.setHeader(name, value);
  };
}

function askHelmet(options: HelmetOptions): readonly (readonly [string, string])[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  helmet(options)(request, response, () => undefined);
  return response.getHeaderNames().map(name => [name, String(response.getHeader(name))] as const);
}
