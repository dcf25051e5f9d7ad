import * as classes from './classes.js';
import { type Failure, TcError } from './tc-error.js';

/** The status and class of each code. */
const KNOWN = {
  InvalidArguments: [400, classes.InvalidArgumentsError],
  DomainNotProved: [400, classes.DomainNotProvedError],
  ValueTooLong: [400, classes.ValueTooLongError],
  QueryTimeout: [400, classes.QueryTimeoutError],
  ResultTooLarge: [400, classes.ResultTooLargeError],
  HistoryUnavailable: [400, classes.HistoryUnavailableError],
  Unauthorized: [401, classes.UnauthorizedError],
  Forbidden: [403, classes.ForbiddenError],
  CsrfRefused: [403, classes.CsrfRefusedError],
  OrganizationMembershipRequired: [403, classes.OrganizationMembershipRequiredError],
  OrganizationRequired: [403, classes.OrganizationRequiredError],
  TokenExchangeRefused: [403, classes.TokenExchangeRefusedError],
  TooManyRules: [403, classes.TooManyRulesError],
  FieldForbidden: [403, classes.FieldForbiddenError],
  RuleRefused: [403, classes.RuleRefusedError],
  NotFound: [404, classes.NotFoundError],
  CollectionNotFound: [404, classes.CollectionNotFoundError],
  RecordNotFound: [404, classes.RecordNotFoundError],
  MethodNotAllowed: [405, classes.MethodNotAllowedError],
  RequestTimeout: [408, classes.RequestTimeoutError],
  AlreadyExists: [409, classes.AlreadyExistsError],
  AmbiguousName: [409, classes.AmbiguousNameError],
  Conflict: [409, classes.ConflictError],
  BatchConflict: [409, classes.BatchConflictError],
  UndoConflict: [409, classes.UndoConflictError],
  PositionExpired: [410, classes.PositionExpiredError],
  PositionReset: [410, classes.PositionResetError],
  PreconditionFailed: [412, classes.PreconditionFailedError],
  PayloadTooLarge: [413, classes.PayloadTooLargeError],
  UnsupportedMediaType: [415, classes.UnsupportedMediaTypeError],
  BatchRejected: [422, classes.BatchRejectedError],
  ConstraintViolation: [422, classes.ConstraintViolationError],
  CollectionFull: [422, classes.CollectionFullError],
  IdempotencyKeyReused: [422, classes.IdempotencyKeyReusedError],
  TooManyRequests: [429, classes.TooManyRequestsError],
  HeadersTooLarge: [431, classes.HeadersTooLargeError],
  Internal: [500, classes.InternalError],
  BadGateway: [502, classes.BadGatewayError],
  Unavailable: [503, classes.UnavailableError],
  GatewayTimeout: [504, classes.GatewayTimeoutError],
} as const;

/** The codes of the service. A newer service may send others. */
export type ErrorCode = keyof typeof KNOWN;

/** The error for a code, of its own class if the code is known. Without a status, the code decides it. */
export function errorOf(message: string, failure: Omit<Failure, 'status'> & { status?: number }): TcError {
  const [status, Class] = Object.hasOwn(KNOWN, failure.code)
    ? (KNOWN[failure.code as ErrorCode] as readonly [number, typeof TcError])
    : ([0, TcError] as const);
  return new Class(message, { status, ...failure });
}
