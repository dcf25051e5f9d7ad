import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request, Response } from 'express';
import type { AdmissionQueue } from '../../base/kernel/bounds/admission/admission-queue.js';
import type { Share } from '../../base/kernel/bounds/admission/share.js';
import { CallerGone, type Presence } from '../../base/kernel/bounds/deadline.js';
import type { Call, Retry } from '../../base/kernel/call.js';
import type { DecidedRights } from '../../base/kernel/decided-rights.js';
import type { PlatformError } from '../../base/kernel/errors.js';
import type { Membership, Principal } from '../../base/kernel/principal.js';
import type { Page } from './html-page.js';
import { type Switching, whenClosed } from './server/connections.js';

/** A request with what the steps of `AccessGuard` set on it, in the order in which they run. */
export interface PlatformRequest extends Request {
  correlationId: string;
  /** When it was received, on the process's monotonic clock. */
  startedAt: number;
  /** Set on a request for a WebSocket. */
  switching?: Switching;
  /** Set by the authentication step, except on public routes. */
  principal?: Principal;
  /** Set by the organization step, for the organization in the path or the active one, or by the collection step. */
  membership?: Membership;
  /** Set by the workspace step: the organization of the workspace. */
  orgId?: string;
  /** Set by the collection step or the workspace step; `@Accessed` and `@AccessedWorkspace` know its type. */
  access?: unknown;
  /** Set when the request was counted against the limits of its grants. */
  isCounted?: true;
  /** Set where the path of a request with an `Idempotency-Key` names a collection: the URL with the id in place of the name. */
  urlById?: string;
  /** Set by the body step, on requests with an `Idempotency-Key`: SHA-256 of the bytes of the body, as hexadecimal digits. */
  bodyHash?: string;
  /** Set by the body step when the rest of the request blocks the process for milliseconds: see `ownTurn`. */
  hasLongBody?: true;
  /** Set when the access to the collection was decided from cached metadata, which may be stale. */
  isAccessFromMemory?: true;
  /** Set by the place step, until the place is given back. */
  place?: Share | undefined;
  /** The queue of these places. */
  places?: AdmissionQueue;
  /** Set by the recheck step, on requests that may write. */
  rights?: DecidedRights;
  /** Set on routes that people open by a link: the page that a browser shows instead of an error. */
  refusalPage?: ((error: PlatformError) => Page) | undefined;
  /** Set when the client sent an idempotency key. */
  retry?: Retry;
  /** Set when the request may run: a stored response of an equal request is looked up once it has failed. */
  isRetryAdmitted?: true;
}

/** The call that a request makes. Only for routes whose guard has set a principal. */
export function callOf(request: PlatformRequest): Call {
  const { principal, correlationId, ip, retry, rights } = request;
  if (principal === undefined) throw new Error('this route has no caller: it is public');
  return { principal, via: 'rest', correlationId, ip, retry, rights };
}

/** Parameter: the `Call` (who, from where) of an authenticated route. */
export const Calling = createParamDecorator((_: unknown, context: ExecutionContext) =>
  callOf(context.switchToHttp().getRequest<PlatformRequest>()),
);

/** Parameter: the caller's membership in the organization of the route. */
export const CallerMembership = createParamDecorator((_: unknown, context: ExecutionContext): Membership => {
  const { membership } = context.switchToHttp().getRequest<PlatformRequest>();
  if (membership === undefined) throw new Error('this route requires no organization');
  return membership;
});

/**
 * Reports when the client of a request has disconnected. The connection is watched only on demand, because most
 * responses are sent earlier.
 */
export class ClientPresence implements Presence {
  private made: AbortSignal | undefined;

  constructor(private readonly response: Response) {}

  get id(): string | undefined {
    return (this.response.req as PlatformRequest).principal?.id;
  }

  get signal(): AbortSignal {
    this.made ??= this.watch();
    return this.made;
  }

  private watch(): AbortSignal {
    const gone = new AbortController();
    const { response } = this;
    const look = () => response.writableFinished || gone.abort(new CallerGone());
    whenClosed(response, look);
    return gone.signal;
  }
}

/** Parameter: the client of the request, so that long work ends when it disconnects. */
export const Client = createParamDecorator(
  (_: unknown, context: ExecutionContext): Presence =>
    new ClientPresence(context.switchToHttp().getResponse<Response>()),
);
