import type { Call } from './call.js';
import { newId } from './id.js';
import type { Principal } from './principal.js';

const PLATFORM: Principal = {
  type: 'service-account',
  id: 'platform',
  credential: 'service-account',
  credentialId: 'platform',
  email: null,
  slug: 'platform',
  memberships: [],
  activeOrgSlug: undefined,
  sessionId: undefined,
  expiresAt: undefined,
  narrowedTo: undefined,
  collectionId: undefined,
  createdBy: undefined,
  firstParty: true,
  anonymous: false,
};

/** What the service does by itself, for its audit events: no request and no person stand behind it. */
export function platformCall(via: 'job' | 'cli'): Call {
  return { principal: PLATFORM, via, correlationId: newId(), ip: undefined };
}

/** The call of a person who is being created by it: there is no credential yet. */
export function firstCallOf(user: { readonly id: string }, request: Omit<Call, 'principal'>): Call {
  return { ...request, principal: { ...PLATFORM, type: 'user', id: user.id, slug: undefined } };
}
