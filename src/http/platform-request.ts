import type { Request } from 'express';
import type { Call } from '../kernel/call.js';
import type { Membership, Principal } from '../kernel/principal.js';

/** What the guards leave on a request, in the order in which they run. */
export interface PlatformRequest extends Request {
  correlationId: string;
  /** Set by the authentication guard, except on public routes. */
  principal?: Principal;
  /** Set by the organization guard: the membership in the path's, else the active organization. */
  membership?: Membership;
  /** Set by the collection guard; its type is known to the collections module. */
  access?: unknown;
  /** Set where the access was decided from memory; rejects when it no longer holds. */
  confirm?: () => Promise<unknown>;
}

/** The call that a request makes. Only for routes whose guard has set a principal. */
export function callOf(request: PlatformRequest): Call {
  if (request.principal === undefined) throw new Error('this route has no caller: it is public');
  return { principal: request.principal, via: 'rest', correlationId: request.correlationId, ip: request.ip };
}
