import { newId } from '../kernel/id.js';
import type { FirstStep } from './platform-adapter.js';

const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/;

/** Names the request for logs and audit: the client's `x-correlation-id` when it has a safe form, else a new id. */
export const correlationId: FirstStep = (request, response) => {
  const given = request.headers['x-correlation-id'];
  request.correlationId = typeof given === 'string' && ACCEPTED.test(given) ? given : newId();
  response.setHeader('x-correlation-id', request.correlationId);
};
