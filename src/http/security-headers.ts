import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import helmet, { type HelmetOptions } from 'helmet';

/** Sets helmet's headers. They are the same for every request, so helmet is asked once instead of each time. */
export function securityHeaders(options: HelmetOptions) {
  const headers = askHelmet(options);
  return (_request: Request, response: Response, next: NextFunction): void => {
    for (const [name, value] of headers) response.setHeader(name, value);
    next();
  };
}

function askHelmet(options: HelmetOptions): readonly (readonly [string, string])[] {
  const request = new IncomingMessage(new Socket());
  const response = new ServerResponse(request);
  helmet(options)(request, response, () => undefined);
  return response.getHeaderNames().map(name => [name, String(response.getHeader(name))] as const);
}
