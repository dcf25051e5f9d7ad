import { newId } from '../kernel/id.js';
import { withoutCredentials } from './logger.js';
import type { FirstStep } from './platform-adapter.js';

const ACCEPTED = /^[A-Za-z0-9._-]{1,64}$/;

/** Names the request for logs and audit: the client's `x-correlation-id` when it has a safe form, else a new id. */
export const correlationId: FirstStep = (request, response) => {
  const given = request.headers['x-correlation-id'];
  request.correlationId = isSafe(given) ? given : newId();
  response.setHeader('x-correlation-id', request.correlationId);
};

/** What looks like a credential was put into the wrong header, and would be logged and audited. */
function isSafe(given: string | string[] | undefined): given is string {
  return typeof given === 'string' && ACCEPTED.test(given) && withoutCredentials(given) === given;
}
