import type { NextFunction, Response } from 'express';
import { newId } from '../kernel/id.js';
import type { PlatformRequest } from './platform-request.js';

const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/;

/** Names the request for logs and audit: the client's `x-correlation-id` when it has a safe form, else a new id. */
export function correlationId(request: PlatformRequest, response: Response, next: NextFunction): void {
  const given = request.headers['x-correlation-id'];
  request.correlationId = typeof given === 'string' && ACCEPTED.test(given) ? given : newId();
  response.setHeader('x-correlation-id', request.correlationId);
  next();
}
