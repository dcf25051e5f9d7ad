import type { Requirement } from '../http/requires.decorator.js';
import type { Principal } from '../kernel/principal.js';

/**
 * True when the kind of the caller's credential is good enough for a route; permissions and memberships are the
 * business of later guards. A third-party client reaches only `/v1` and `/v2/me` (contract, "Sessions and JWTs").
 */
export function admits(requirement: Requirement, principal: Principal): boolean {
  if ('forwarded' in requirement) {
    // The runtime judges for itself; a key of one collection reaches nothing else.
    return (
      requirement.forwarded === 'runtime' || (principal.firstParty && principal.collectionId === undefined)
    );
  }
  if ('caller' in requirement) return admitsCaller(requirement.caller, principal);
  return principal.firstParty || 'product' in requirement || 'collection' in requirement;
}

/** What is a person's own, like sessions and tokens, is out of reach while they act for an agent. */
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
