/**
 * Every error code a client can see, with its HTTP status. `docs/errors.md` explains each one; a test keeps
 * the two lists equal. Source: the wire contract's status codes.
 */
export const ERROR_STATUS = {
  InvalidArguments: 400,
  DomainNotProved: 400,
  HistoryUnavailable: 400,
  ValueTooLong: 400,
  QueryTimeout: 400,
  ResultTooLarge: 400,
  Unauthorized: 401,
  Forbidden: 403,
  CsrfRefused: 403,
  OrganizationMembershipRequired: 403,
  OrganizationRequired: 403,
  FieldForbidden: 403,
  RuleRefused: 403,
  TokenExchangeRefused: 403,
  TooManyRules: 403,
  NotFound: 404,
  CollectionNotFound: 404,
  RecordNotFound: 404,
  MethodNotAllowed: 405,
  RequestTimeout: 408,
  AlreadyExists: 409,
  AmbiguousName: 409,
  BatchConflict: 409,
  Conflict: 409,
  UndoConflict: 409,
  PositionExpired: 410,
  PositionReset: 410,
  PreconditionFailed: 412,
  PayloadTooLarge: 413,
  UnsupportedMediaType: 415,
  BatchRejected: 422,
  ConstraintViolation: 422,
  CollectionFull: 422,
  IdempotencyKeyReused: 422,
  TooManyRequests: 429,
  HeadersTooLarge: 431,
  Internal: 500,
  BadGateway: 502,
  Unavailable: 503,
  GatewayTimeout: 504,
} as const;

export type ErrorCode = keyof typeof ERROR_STATUS;

/** Details that help the client to correct its request, for example the failing fields. Never contains a secret. */
export type ErrorDetails = readonly unknown[] | Readonly<Record<string, unknown>>;

/**
 * The one error that services throw and the error filter turns into `{error, message, details?}`. The client sees
 * `message`: it names the field and the reason, and says what to do.
 */
export class PlatformError extends Error {
  readonly status: number;

  constructor(
    readonly code: ErrorCode,
    message: string,
    readonly details?: ErrorDetails,
  ) {
    const status = ERROR_STATUS[code];
    const { stackTraceLimit } = Error;
    // A refusal is an answer, so nobody reads its stack. Capturing the stack is a seventh of the cost of a 404.
    if (status < 500) Error.stackTraceLimit = 0;
    super(message);
    Error.stackTraceLimit = stackTraceLimit;
    this.name = 'PlatformError';
    this.status = status;
  }

  /**
   * True when the error is known to be based on the current collection and the current rights, so it needs no recheck.
   */
  isProven = false;

  proven(): this {
    this.isProven = true;
    return this;
  }
}

/** 400 `InvalidArguments`, the most frequent error. */
export function invalid(message: string, details?: ErrorDetails): PlatformError {
  return new PlatformError('InvalidArguments', message, details);
}
