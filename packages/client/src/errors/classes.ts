import type { UndoConflict } from '../records/results.js';
import { TcError } from './tc-error.js';

/** A refused row of a bulk insert or an import. `column` is null when the problem concerns the whole row. */
export interface RowProblem {
  readonly row: number;
  readonly column: string | null;
  readonly problem: string;
}

/** A refused operation of a batch. */
export interface BatchProblem {
  readonly index: number;
  readonly _id: string;
  readonly reason: string;
}

export class InvalidArgumentsError extends TcError {}
export class DomainNotProvedError extends TcError {
  /** The domains that the organization has not proved. */
  declare readonly details: { readonly domains: readonly string[] };
}
export class ValueTooLongError extends TcError {}
export class QueryTimeoutError extends TcError {}
export class ResultTooLargeError extends TcError {}
export class HistoryUnavailableError extends TcError {
  /** The earliest instant that can be read; null when there is none. */
  declare readonly details: { readonly earliest: string | null };
}
export class UnauthorizedError extends TcError {}
export class ForbiddenError extends TcError {}
export class CsrfRefusedError extends TcError {}
export class OrganizationMembershipRequiredError extends TcError {}
export class OrganizationRequiredError extends TcError {}
export class TokenExchangeRefusedError extends TcError {}
export class TooManyRulesError extends TcError {}
export class FieldForbiddenError extends TcError {}
export class RuleRefusedError extends TcError {}
export class NotFoundError extends TcError {}
export class CollectionNotFoundError extends TcError {}
export class RecordNotFoundError extends TcError {}
export class MethodNotAllowedError extends TcError {}
export class RequestTimeoutError extends TcError {}
export class AlreadyExistsError extends TcError {}
export class AmbiguousNameError extends TcError {
  declare readonly details: { readonly ids: readonly string[] };
}
export class ConflictError extends TcError {}
export class BatchConflictError extends TcError {
  declare readonly details: readonly BatchProblem[];
}
export class UndoConflictError extends TcError {
  declare readonly details: readonly UndoConflict[];
}
export class PositionExpiredError extends TcError {}
export class PositionResetError extends TcError {}
export class PreconditionFailedError extends TcError {}
export class PayloadTooLargeError extends TcError {}
export class UnsupportedMediaTypeError extends TcError {}
export class BatchRejectedError extends TcError {
  declare readonly details: readonly RowProblem[];
}
export class ConstraintViolationError extends TcError {
  declare readonly details: readonly RowProblem[];
}
export class CollectionFullError extends TcError {}
export class IdempotencyKeyReusedError extends TcError {}
export class TooManyRequestsError extends TcError {}
export class HeadersTooLargeError extends TcError {}
export class InternalError extends TcError {}
export class BadGatewayError extends TcError {}
export class UnavailableError extends TcError {}
export class GatewayTimeoutError extends TcError {}
