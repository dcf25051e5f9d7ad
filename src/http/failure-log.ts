import { Logger } from '@nestjs/common';
import type { PlatformError } from '../kernel/errors.js';
import { sqlState } from '../kernel/sql-state.js';

/** Of each cause the first failure is logged at once, further ones once in this time, with their number. */
const EVERY_MS = 10_000;
const MAX_CAUSES = 100;
/** Of a value that does not fit (SQLSTATE class 22 and 23) PostgreSQL quotes the value. */
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
  /** With its stack, of what nobody foresaw. */
  readonly error?: unknown;
}

/** Logs the causes of answers with a status of 500 or more, without parameters and values of statements. */
export class FailureLog {
  private readonly logger = new Logger('Failures');
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
