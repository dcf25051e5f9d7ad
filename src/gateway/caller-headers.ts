import { activeMembership, type Principal } from '../kernel/principal.js';

/** Who calls, as services behind the gateway read it (platform contract, "Gateway and runtime"); what does not apply is absent. */
export function callerHeaders(caller: Principal): Record<string, string> {
  const { type, id, actingUserId, sessionId } = caller;
  const told = {
    'x-platform-user-id': type === 'user' ? id : actingUserId,
    'x-platform-session-id': sessionId,
    'x-platform-org-slug': activeMembership(caller)?.orgSlug,
    'x-platform-agent-id': type === 'agent' ? id : undefined,
  };
  return Object.fromEntries(
    Object.entries(told).filter((each): each is [string, string] => each[1] !== undefined),
  );
}
