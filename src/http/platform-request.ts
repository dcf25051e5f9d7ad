import type { Request } from 'express';
import type { Call } from '../kernel/call.js';
import type { DecidedRights } from '../kernel/decided-rights.js';
import type { PlatformError } from '../kernel/errors.js';
import type { Membership, Principal } from '../kernel/principal.js';
import type { Retry } from '../kernel/retry.js';
import type { Page } from './html-page.js';
import type { Switching } from './upgrades.js';

/** What the guards leave on a request, in the order in which they run. */
export interface PlatformRequest extends Request {
  correlationId: string;
  /** When it was received, on the process's monotonic clock. */
  startedAt: number;
  /** Set on a request for a WebSocket. */
  switching?: Switching;
  /** Set by the authentication guard, except on public routes. */
  principal?: Principal;
  /** Set by the guard of the organization, in the path or active, or by that of the collection. */
  membership?: Membership;
  /** Set by the workspace guard: the organization of the workspace. */
  orgId?: string;
  /** Set by the collection guard; its type is known to the collections module. */
  access?: unknown;
  /** Set where the path names a collection: the same URL with the id in place of the name. */
  urlById?: string;
  /** Set where the access was decided from memory; rejects when it no longer holds. */
  confirm?: () => Promise<unknown>;
  /** Set by the last look of the guards, on requests that may write. */
  rights?: DecidedRights;
  /** Set where people come by a link: what a browser shows instead of a refusal. */
  refusalPage?: (error: PlatformError) => Page;
  /** Set where the client may send the request again. */
  retry?: Retry;
  /** Set with it; resolves with what to answer instead of the failure, most often the failure itself. */
  reconsider?: (failure: unknown) => Promise<unknown>;
}

/** The call that a request makes. Only for routes whose guard has set a principal. */
export function callOf(request: PlatformRequest): Call {
  const { principal, correlationId, ip, retry, rights } = request;
  if (principal === undefined) throw new Error('this route has no caller: it is public');
  return { principal, via: 'rest', correlationId, ip, retry, rights };
}
