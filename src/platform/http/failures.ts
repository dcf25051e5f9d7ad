import { Logger } from '@nestjs/common';
import { CallerGone } from '../../base/kernel/bounds/deadline.js';
import { ERROR_STATUS, type ErrorCode, invalid, PlatformError } from '../../base/kernel/errors.js';
import { sqlState, unavailable } from '../../base/kernel/sql-state.js';

/** The first failure of each cause is logged at once. Further ones are counted and logged once in this time. */
const EVERY_MS = 10_000;
const MAX_CAUSES = 100;
/** SQLSTATE classes 22 and 23: PostgreSQL's message quotes the value that does not fit. */
const QUOTES_VALUES = /^2[23]/;

interface Cause {
  suppressed: number;
  line: FailureLine;
}

interface FailureLine {
  readonly message: string;
  readonly correlationId: string;
  readonly status: number;
  readonly code: string;
  readonly sqlState: string | undefined;
  readonly cause: string;
  /** Set for unexpected errors only, to log the stack. */
  readonly error?: unknown;
}

/** Logs the causes of responses with a status of 500 or more, without parameters and values of statements. */
class FailureLog {
  private readonly logger = new Logger('Failures');
  // biome-ignore lint/plugin/bounded-maps: at most MAX_CAUSES
  private readonly causes = new Map<string, Cause>();

  log(failure: PlatformError, thrown: unknown, correlationId: string): void {
    const line = lineOf(failure, thrown, correlationId);
    const full = this.causes.size >= MAX_CAUSES;
    const key = full ? 'others' : `${line.code} ${line.sqlState ?? ''} ${line.cause.slice(0, 200)}`;
    const known = this.causes.get(key);
    if (known !== undefined) {
      known.suppressed += 1;
      known.line = line;
      return;
    }
    this.causes.set(key, { suppressed: 0, line });
    this.write(line);
    this.wait(key);
  }

  private wait(key: string): void {
    setTimeout(() => {
      const { suppressed, line } = this.causes.get(key) as Cause;
      this.causes.delete(key);
      if (suppressed === 0) return;
      this.write({ ...line, error: undefined }, suppressed);
      this.causes.set(key, { suppressed: 0, line });
      this.wait(key);
    }, EVERY_MS).unref();
  }

  private write(line: FailureLine, more?: number): void {
    const fields = { ...line, ...(more !== undefined && { more }) };
    if (line.status === 500) this.logger.error(fields);
    else this.logger.warn(fields);
  }
}

function lineOf(failure: PlatformError, thrown: unknown, correlationId: string): FailureLine {
  const { code, status } = failure;
  const state = sqlState(thrown) ?? sqlState((thrown as Error | undefined)?.cause);
  const reason = String((thrown as Error | undefined)?.message ?? thrown);
  return {
    message: 'a request failed',
    correlationId,
    status,
    code,
    sqlState: state,
    cause: QUOTES_VALUES.test(state ?? '') ? reason.replaceAll(/"[^"]*"/g, '"…"') : reason,
    ...(status === 500 && state === undefined && thrown instanceof Error && { error: thrown }),
  };
}

const log = new FailureLog();

export function logFailure(failure: PlatformError, thrown: unknown, correlationId: string): void {
  log.log(failure, thrown, correlationId);
}

/**
 * Like `failureOf`, and logs a failure with a status of 500 or more. For callers whose failures are not logged
 * elsewhere.
 */
export function loggedFailureOf(thrown: unknown, correlationId: string): PlatformError {
  const failure = failureOf(thrown, correlationId);
  if (failure.status >= 500 && !(thrown instanceof CallerGone)) log.log(failure, thrown, correlationId);
  return failure;
}

/** The client error for any thrown value. */
export function failureOf(thrown: unknown, correlationId: string): PlatformError {
  if (thrown instanceof PlatformError) return thrown;
  return unavailable(thrown) ?? fromDatabase(thrown) ?? fromExpress(thrown) ?? internal(correlationId);
}

/** The first error code with this status. */
export function codeOf(status: number): ErrorCode {
  const codes = Object.entries(ERROR_STATUS) as [ErrorCode, number][];
  return codes.find(([, each]) => each === status)?.[0] ?? (status < 500 ? 'InvalidArguments' : 'Internal');
}

/**
 * Client errors for two database errors: text that PostgreSQL cannot store, and a deadlock that was not retried, after
 * which nothing was written.
 */
function fromDatabase(thrown: unknown): PlatformError | undefined {
  switch (sqlState(thrown)) {
    case '22021':
    case '22P05':
      return invalid('A text has a character that cannot be stored: NUL or invalid UTF-8.');
    case '40P01':
      return new PlatformError('Conflict', 'Other requests are changing the same data. Retry.');
    default:
      return undefined;
  }
}

/** Express's own errors, for example for a path with invalid percent-encoding. */
function fromExpress(thrown: unknown): PlatformError | undefined {
  const status = (thrown as { status?: unknown } | null)?.status;
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined;
  return new PlatformError(codeOf(status), 'The request is malformed.');
}

function internal(correlationId: string): PlatformError {
  return new PlatformError(
    'Internal',
    `The service failed. Before you send a write again, read whether it was done. Correlation id: ${correlationId}.`,
  );
}

/** 401 for an invalid bearer token. The challenge says so (RFC 6750, 3.1), without the reason. */
export class InvalidToken extends PlatformError {
  static readonly challenge =
    'error="invalid_token", error_description="The token is invalid or has expired."';

  constructor(message: string) {
    super('Unauthorized', message);
  }
}
