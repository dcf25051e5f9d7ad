import { TcError } from './tc-error.js';

/** How much was written before the failure. */
export interface Remainder {
  /** Records that were written. */
  readonly done: number;
  readonly resumeAt: number;
  readonly idempotencyKey: string;
  readonly details: unknown;
}

/**
 * A part of a bulk write or of an import in slices failed; the parts before it are written. `code`, `status` and
 * `cause` are those of the failure. Call again with `startAt: error.resumeAt` and the same `idempotencyKey`: a part of
 * which it is not known whether it was written is then written once.
 */
export class PartialWriteError extends TcError {
  /** Records written before the failure. */
  readonly done: number;
  /** Where to go on: for `bulk` the position of the first record that is not written, for an import that of its byte. */
  readonly resumeAt: number;
  readonly idempotencyKey: string;
  declare readonly cause: TcError;

  constructor(cause: TcError, { done, resumeAt, idempotencyKey, details }: Remainder) {
    const { code, status, requestId, retryAfterMs } = cause;
    super(`${done} records are written. Then: ${cause.message}`, {
      ...{ code, status, details, requestId, retryAfterMs, cause },
    });
    this.name = 'PartialWriteError';
    this.done = done;
    this.resumeAt = resumeAt;
    this.idempotencyKey = idempotencyKey;
  }
}

/** The details of a refused part, with its rows counted from the beginning: `before` rows were in earlier parts. */
export function shifted(details: unknown, before: number): unknown {
  return Array.isArray(details)
    ? details.map(each => (typeof each?.row === 'number' ? { ...each, row: each.row + before } : each))
    : details;
}
