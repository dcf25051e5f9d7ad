import type { IncomingHttpHeaders } from 'node:http';
import { activeMembership, type Principal } from '../kernel/principal.js';

/** Who calls, as services behind the gateway read it (platform contract, "Gateway and runtime"). */
export function callerHeaders(caller: Principal): IncomingHttpHeaders {
  const { type, id, actingUserId, sessionId } = caller;
  return {
    'x-platform-user-id': type === 'user' ? id : actingUserId,
    'x-platform-session-id': sessionId,
    'x-platform-org-slug': activeMembership(caller)?.orgSlug,
    'x-platform-agent-id': type === 'agent' ? id : undefined,
  };
}

/** Without those that there is nothing to say in, which Node refuses to send. */
export function told(headers: IncomingHttpHeaders): IncomingHttpHeaders {
  return Object.fromEntries(Object.entries(headers).filter(([, value]) => value !== undefined));
}
