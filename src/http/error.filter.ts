import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Response } from 'express';
import { ERROR_STATUS, type ErrorCode, invalid, PlatformError } from '../kernel/errors.js';
import { CallerGone } from '../kernel/presence.js';
import { Replay } from '../kernel/retry.js';
import { shortened } from '../kernel/shortened.js';
import { DatabaseUnavailable, sqlState, unavailable } from '../kernel/sql-state.js';
import { allowedMethods } from './allowed-methods.js';
import { FailureLog } from './failure-log.js';
import { prefersPage, sendPage } from './html-page.js';
import { InvalidToken } from './invalid-token.js';
import type { PlatformRequest } from './platform-request.js';
import { resourceDocument, resourcePathOf } from './protected-resource.js';
import type { AuthFailures } from './rate-limit/auth-failures.service.js';
import { TooManyRequests } from './rate-limit/too-many-requests.js';

/** Seconds a client should wait after 503. */
export const RETRY_AFTER = '2';

/** Longest message, whatever it is made of: some twenty problems, each with a name of 200 characters. */
const MAX_MESSAGE = 8_000;

const failures = new FailureLog();

/** What is only said to a caller who may see what the request is about (contract: 404 and 403 come first). */
const JUDGED = new Set([400, 404, 408, 413, 415]);

/** Turns whatever was thrown into `{error, message, details?}` with the contract's status, or the first answer of a retry. */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly publicUrl: string,
    private readonly failures: AuthFailures,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<PlatformRequest>();
    const response = host.switchToHttp().getResponse<Response>();
    if (request.reconsider === undefined) this.settle(thrown, request, response);
    else request.reconsider(thrown).then(instead => this.settle(instead, request, response));
  }

  private settle(thrown: unknown, request: PlatformRequest, response: Response): void {
    if (thrown instanceof CallerGone) {
      response.destroy();
      return;
    }
    if (thrown instanceof Replay) {
      response.setHeader('Idempotency-Replayed', 'true');
      response.setHeader('Content-Type', `${thrown.mediaType}; charset=utf-8`);
      response.status(thrown.answerStatus).end(thrown.answerText);
      return;
    }
    const error = this.platformError(thrown, request, response);
    if (this.failures.countsBody(error, request)) {
      this.failures.counted(error, request.ip).then(
        instead => this.answer(instead, thrown, response),
        () => this.answer(error, thrown, response),
      );
      return;
    }
    if (request.confirm === undefined || !JUDGED.has(error.status) || error.isProven) {
      this.answer(error, thrown, response);
      return;
    }
    request.confirm().then(
      () => this.answer(error, thrown, response),
      refusal => this.answer(this.platformError(refusal, request, response), refusal, response),
    );
  }

  private answer(error: PlatformError, thrown: unknown, response: Response): void {
    if (error.status >= 500) failures.log(error, thrown, (response.req as PlatformRequest).correlationId);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error.status === 401 && !response.hasHeader('WWW-Authenticate')) {
      const document = resourceDocument(this.publicUrl, resourcePathOf(response.req.path));
      const reason = error instanceof InvalidToken ? `, ${InvalidToken.challenge}` : '';
      response.setHeader('WWW-Authenticate', `Bearer resource_metadata="${document}"${reason}`);
    }
    // The rest of the body may never come, and no other request can come before it.
    if (error.status === 408) response.setHeader('Connection', 'close');
    if (error instanceof TooManyRequests) response.setHeader('Retry-After', String(error.retryAfter));
    if (error.status === 503 && mayBeSentAgain(error, response.req as PlatformRequest))
      response.setHeader('Retry-After', RETRY_AFTER);
    const { refusalPage } = response.req as PlatformRequest;
    if (refusalPage !== undefined && prefersPage(response.req)) {
      sendPage(response, refusalPage(error), error.status);
      return;
    }
    response.status(error.status).json({
      error: error.code,
      message: error.message.slice(0, MAX_MESSAGE),
      ...(error.details !== undefined && { details: error.details }),
    });
  }

  private platformError(thrown: unknown, request: PlatformRequest, response: Response): PlatformError {
    if (thrown instanceof HttpException) return this.fromNest(thrown, request, response);
    if (request.method === 'GET' || request.method === 'HEAD')
      return unavailable(thrown, true) ?? failureOf(thrown, request.correlationId);
    return failureOf(thrown, request.correlationId);
  }

  /** Nest throws by itself for unknown routes; a known path with another method is 405 (RFC 9110, 15.5.6). */
  private fromNest(thrown: HttpException, request: PlatformRequest, response: Response): PlatformError {
    if (thrown.getStatus() === 404) {
      const allowed = allowedMethods(this.adapterHost.httpAdapter.getInstance(), request.path);
      if (allowed.length === 0)
        return new PlatformError('NotFound', `There is nothing at ${shortened(request.path)}.`);
      response.setHeader('Allow', allowed.join(', '));
      return new PlatformError(
        'MethodNotAllowed',
        `${request.method} is not possible here; allowed: ${allowed.join(', ')}.`,
      );
    }
    return new PlatformError(codeOf(thrown.getStatus()), thrown.message);
  }
}

/** A write that may have happened must not be sent again blindly: only its key makes that safe. */
function mayBeSentAgain(error: PlatformError, request: PlatformRequest): boolean {
  const isUnknown = error instanceof DatabaseUnavailable && !error.wroteNothing;
  return !isUnknown || request.retry !== undefined;
}

/** As `failureOf`, where nothing else logs the causes of failures that are the service's. */
export function loggedFailureOf(thrown: unknown, correlationId: string): PlatformError {
  const failure = failureOf(thrown, correlationId);
  if (failure.status >= 500 && !(thrown instanceof CallerGone)) failures.log(failure, thrown, correlationId);
  return failure;
}

/** What a failure is to a client, whatever face it came through. */
export function failureOf(thrown: unknown, correlationId: string): PlatformError {
  if (thrown instanceof PlatformError) return thrown;
  return unavailable(thrown) ?? fromDatabase(thrown) ?? fromExpress(thrown) ?? internal(correlationId);
}

function codeOf(status: number): ErrorCode {
  const codes = Object.entries(ERROR_STATUS) as [ErrorCode, number][];
  return codes.find(([, each]) => each === status)?.[0] ?? (status < 500 ? 'InvalidArguments' : 'Internal');
}

/**
 * Text that PostgreSQL cannot hold, wherever it slipped in, is the client's. So is a write that came in a circle with
 * others, where nobody has run it again: nothing of it is done.
 */
function fromDatabase(thrown: unknown): PlatformError | undefined {
  switch (sqlState(thrown)) {
    case '22021':
    case '22P05':
      return invalid('A text holds a character that cannot be stored (NUL or invalid UTF-8).');
    case '40P01':
      return new PlatformError('Conflict', 'Other requests are changing the same right now. Try again.');
    default:
      return undefined;
  }
}

/** Express' own refusals, for example a path that is no valid percent-encoding. */
function fromExpress(thrown: unknown): PlatformError | undefined {
  const status = (thrown as { status?: unknown } | null)?.status;
  if (typeof status !== 'number' || status < 400 || status > 499) return undefined;
  return new PlatformError(codeOf(status), 'The request is malformed.');
}

function internal(correlationId: string): PlatformError {
  return new PlatformError(
    'Internal',
    `Something went wrong on our side. Read before you send a write again. Correlation id: ${correlationId}.`,
  );
}
