/** What is known of a failed request. */
export interface Failure {
  readonly code: string;
  readonly status: number;
  readonly details?: unknown;
  readonly requestId?: string | undefined;
  readonly retryAfterMs?: number | undefined;
  readonly cause?: unknown;
}

/**
 * Every failure of a request. `docs/errors.md` of the service lists the codes; each has a subclass, so both
 * `error.code === 'RecordNotFound'` and `error instanceof RecordNotFoundError` work. A request that was ended by its
 * `signal` throws the reason of the signal instead.
 */
export class TcError extends Error {
  /** Stable and never reworded, unlike `message`. `NetworkError` and `Http…` are made by this client. */
  readonly code: string;
  /** The HTTP status; 0 if there was no complete response. */
  readonly status: number;
  /** What helps to correct the request, for example the refused rows. */
  readonly details: unknown;
  /** The `x-correlation-id` of the response. Quote it when you report a problem. */
  readonly requestId: string | undefined;
  /** The wait that the service asked for with `Retry-After`, in milliseconds. */
  readonly retryAfterMs: number | undefined;

  constructor(message: string, { code, status, details, requestId, retryAfterMs, cause }: Failure) {
    super(message, cause === undefined ? undefined : { cause });
    // From the code, because minifiers rename classes.
    this.name = code.endsWith('Error') ? code : `${code}Error`;
    this.code = code;
    this.status = status;
    this.details = details;
    this.requestId = requestId;
    this.retryAfterMs = retryAfterMs;
  }
}

/**
 * There was no complete response: no connection, a broken one, or a response cut off. `cause` is the error of `fetch`.
 * It is not known whether a write happened, unless it is sent again with the same `Idempotency-Key`.
 */
export class NetworkError extends TcError {
  constructor(message: string, cause: unknown) {
    super(message, { code: 'NetworkError', status: 0, cause });
  }
}
