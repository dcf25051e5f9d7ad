import type { Requirement } from '../http/requires.decorator.js';
import type { Principal } from '../kernel/principal.js';

/**
 * True when a route accepts the caller's kind of credential. Permissions and memberships are checked later. A third-party
 * client may call only `/v1` and `/v2/me` (contract, "Sessions and JWTs").
 */
export function admits(requirement: Requirement, principal: Principal): boolean {
  if ('forwarded' in requirement) {
    // The runtime checks credentials itself. A key of one collection has no access to other upstreams.
    return (
      requirement.forwarded === 'runtime' || (principal.firstParty && principal.collectionId === undefined)
    );
  }
  if ('caller' in requirement) return admitsCaller(requirement.caller, principal);
  return principal.firstParty || 'product' in requirement || 'collection' in requirement;
}

/** A person who acts for an agent cannot manage personal things such as sessions and tokens. */
function admitsCaller(
  wanted: 'any' | 'person' | 'session',
  { credential, firstParty, actingUserId }: Principal,
): boolean {
  const person = firstParty && actingUserId === undefined;
  switch (wanted) {
    case 'any':
      return true;
    case 'person':
      return person && (credential === 'jwt' || credential === 'access-token');
    case 'session':
      return person && credential === 'jwt';
  }
}
