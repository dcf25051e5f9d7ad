import { type ArgumentsHost, Catch, type ExceptionFilter, HttpException } from '@nestjs/common';
import { HttpAdapterHost } from '@nestjs/core';
import type { Response } from 'express';
import { CallerGone } from '../../base/kernel/bounds/deadline.js';
import { Replay } from '../../base/kernel/call.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { DatabaseUnavailable, unavailable } from '../../base/kernel/sql-state.js';
import { shortened } from '../../base/kernel/text.js';
import type { AccessGuard } from './access/access.guard.js';
import { codeOf, failureOf, InvalidToken, logFailure } from './failures.js';
import { html, type Page, prefersPage, sendPage } from './html-page.js';
import type { PlatformRequest } from './platform-request.js';
import { resourceDocument, resourcePathOf } from './protected-resource.js';
import { TooManyRequests } from './rate-limit/source-attempts.service.js';

/** Seconds a client should wait after 503. */
export const RETRY_AFTER = '2';

/** Maximum length of an error message: about twenty problems, each with a name of 200 characters. */
const MAX_MESSAGE = 8_000;

/**
 * Sends the response to a failed request: `{error, message, details?}` with the contract's status, or the stored
 * response of a retry. The steps of `AccessGuard` decide which one.
 */
@Catch()
export class ErrorFilter implements ExceptionFilter {
  constructor(
    private readonly adapterHost: HttpAdapterHost,
    private readonly publicUrl: string,
    private readonly access: AccessGuard,
  ) {}

  catch(thrown: unknown, host: ArgumentsHost): void {
    const request = host.switchToHttp().getRequest<PlatformRequest>();
    const response = host.switchToHttp().getResponse<Response>();
    const { correlationId } = request;
    this.access
      .afterFailure(thrown, request)
      .then(outcome => this.send(outcome, request, response))
      .catch(error => {
        logFailure(failureOf(error, correlationId), error, correlationId);
        response.destroy();
      });
  }

  private send(outcome: unknown, request: PlatformRequest, response: Response): void {
    if (outcome instanceof CallerGone) {
      response.destroy();
    } else if (outcome instanceof Replay) {
      response.setHeader('Idempotency-Replayed', 'true');
      response.setHeader('Content-Type', `${outcome.mediaType}; charset=utf-8`);
      response.status(outcome.answerStatus).end(outcome.answerText);
    } else {
      this.refuse(this.platformError(outcome, request, response), outcome, response);
    }
  }

  private refuse(error: PlatformError, thrown: unknown, response: Response): void {
    if (error.status >= 500) logFailure(error, thrown, (response.req as PlatformRequest).correlationId);
    if (response.headersSent) {
      response.destroy();
      return;
    }
    if (error.status === 401 && !response.hasHeader('WWW-Authenticate')) {
      const document = resourceDocument(this.publicUrl, resourcePathOf(response.req.path));
      const reason = error instanceof InvalidToken ? `, ${InvalidToken.challenge}` : '';
      response.setHeader('WWW-Authenticate', `Bearer resource_metadata="${document}"${reason}`);
    }
    // The rest of the body may never arrive, and the connection cannot be reused before it does.
    if (error.status === 408) response.setHeader('Connection', 'close');
    if (error instanceof TooManyRequests) response.setHeader('Retry-After', String(error.retryAfter));
    if (error.status === 503 && mayBeSentAgain(error, response.req as PlatformRequest))
      response.setHeader('Retry-After', RETRY_AFTER);
    const refusalPage = (response.req as PlatformRequest).refusalPage ?? unknownPageOf(thrown, response);
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

  /**
   * Maps Nest's own exceptions. An unknown route is 404; a known path with another method is 405 (RFC 9110, 15.5.6).
   */
  private fromNest(thrown: HttpException, request: PlatformRequest, response: Response): PlatformError {
    if (thrown.getStatus() === 404) {
      const allowed = allowedMethods(this.adapterHost.httpAdapter.getInstance(), request.path);
      if (allowed.length === 0)
        return new PlatformError('NotFound', `There is no route at ${shortened(request.path)}.`);
      response.setHeader('Allow', allowed.join(', '));
      return new PlatformError(
        'MethodNotAllowed',
        `${request.method} is not possible here; allowed: ${allowed.join(', ')}.`,
      );
    }
    return new PlatformError(codeOf(thrown.getStatus()), thrown.message);
  }
}

/** False for a write that may have been committed, unless an idempotency key makes the retry safe. */
function mayBeSentAgain(error: PlatformError, request: PlatformRequest): boolean {
  const isUnknown = error instanceof DatabaseUnavailable && !error.wroteNothing;
  return !isUnknown || request.retry !== undefined;
}

/** The page for a person who opened an address without a route; undefined for every other refusal. */
function unknownPageOf(thrown: unknown, { req }: Response): (() => Page) | undefined {
  const isUnknown = thrown instanceof HttpException && thrown.getStatus() === 404;
  return isUnknown && req.method === 'GET' ? () => UNKNOWN_PAGE : undefined;
}

const UNKNOWN_PAGE: Page = {
  title: 'There is no page at this address',
  main: html`<p>The address is wrong, or the page was moved.</p>
<p><a href="/">Go to the start page</a></p>`,
};

interface Layer {
  readonly route?: { readonly methods: Readonly<Record<string, boolean>> };
  match(path: string): boolean;
}

/**
 * The methods of the routes that match a path; empty when there is no such route. GET includes HEAD. Walks the whole
 * router, so it is used for refusals only.
 */
function allowedMethods(express: { router?: { stack: Layer[] } }, path: string): string[] {
  const layers = express.router?.stack ?? [];
  const methods = layers
    .filter(layer => layer.route !== undefined && layer.match(path))
    .flatMap(layer => Object.keys(layer.route?.methods ?? {}).map(method => method.toUpperCase()));
  if (methods.includes('GET')) methods.push('HEAD');
  return [...new Set(methods)].filter(method => method !== '_ALL').sort();
}
