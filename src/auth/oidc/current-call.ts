import { AsyncLocalStorage } from 'node:async_hooks';
import type { IncomingMessage } from 'node:http';
import type { PlatformRequest } from '../../http/platform-request.js';
import type { Call } from '../../kernel/call.js';
import { newId } from '../../kernel/id.js';
import { firstCallOf, platformCall } from '../../kernel/platform-call.js';
import type { Principal } from '../../kernel/principal.js';

/** The request that is being answered: oidc-provider does not tell its storage on whose behalf it is called. */
export const answering = new AsyncLocalStorage<IncomingMessage>();

/** The call of a person who is signed in in a browser, for audit events. */
export function callBy(principal: Principal, request: IncomingMessage): Call {
  return { principal, ...originOf(request) };
}

/** The call of the request that is being answered: of the user whose grant it is about, else of the platform itself. */
export function currentCall(userId?: string): Call {
  const origin = originOf(answering.getStore());
  return userId === undefined ? { ...platformCall('job'), ...origin } : firstCallOf({ id: userId }, origin);
}

function originOf(request: IncomingMessage | undefined): Omit<Call, 'principal'> {
  const { correlationId = newId(), ip } = (request ?? {}) as Partial<PlatformRequest>;
  return { via: 'rest', correlationId, ip };
}
