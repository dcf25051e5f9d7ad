import { createServer, IncomingMessage, ServerResponse } from 'node:http';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Express, Response } from 'express';
import type { ByteBudget } from '../kernel/byte-budget.js';
import { JsonText } from '../kernel/json.js';
import { answerParserRefusals, serveUpgrades } from './connections.js';
import { isKnown } from './entity-tags.js';
import type { PlatformRequest } from './platform-request.js';

/**
 * A whole request has no time limit of its own: files may take hours, and every reader of a body has limits that fit.
 * Headers have one; connections are looked through for late ones every five seconds.
 */
const HEADERS_TIMEOUT_MS = 20_000;
const TIMES = {
  // Refused by ourselves, with a body.
  requireHostHeader: false,
  requestTimeout: 0,
  headersTimeout: HEADERS_TIMEOUT_MS,
  connectionsCheckingInterval: 5_000,
};

/** Runs for every request before Express looks for its route. It is synchronous, and returns true when it has answered. */
export type FirstStep = (request: PlatformRequest, response: Response) => boolean | undefined;

/** Plain objects and lists. JSON.stringify is enough for them, so Express's own conversion is skipped. */
function isPlain(body: unknown): boolean {
  return (
    typeof body === 'object' && body !== null && !(body instanceof Error) && !(body instanceof StreamableFile)
  );
}

/**
 * Nest on Express, with additions for speed. JSON goes out as it is, and what is text already untouched, with its entity
 * tag if it has one. What every request needs is done ahead of Express, where each middleware costs a routing step. And
 * messages are Express' own from birth.
 */
export class PlatformAdapter extends ExpressAdapter {
  private firstSteps: readonly FirstStep[] = [];
  private countAnswer: CountAnswer = () => {};

  doFirst(...steps: FirstStep[]): void {
    this.firstSteps = steps;
  }

  /** Calls `count` for every JSON response before it is sent. */
  countAnswers(count: CountAnswer): void {
    this.countAnswer = count;
  }

  /** Requests for WebSockets reach their routes. */
  takeUpgrades(): void {
    serveUpgrades(this.httpServer, this.serve.bind(this));
  }

  override initHttpServer(): void {
    const messages = expressMessages(this.getInstance());
    this.httpServer = createServer({ ...TIMES, ...messages }, this.serve.bind(this));
    answerParserRefusals(this.httpServer);
  }

  keepAlive(milliseconds: number): void {
    this.httpServer.keepAliveTimeout = milliseconds;
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    (request as PlatformRequest).startedAt = performance.now();
    for (const step of this.firstSteps) {
      if (step(request as PlatformRequest, response as Response) === true) return;
    }
    this.getInstance()(request, response);
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    const text = body instanceof JsonText ? body.text : isPlain(body) ? JSON.stringify(body) : undefined;
    if (text === undefined) return super.reply(response, body, statusCode);
    if (body instanceof JsonText && body.tag !== undefined) {
      const { method, headers } = response.req;
      const known = method === 'PATCH' ? undefined : headers['if-none-match'];
      response.setHeader('ETag', `"${body.tag}"`);
      if (known !== undefined && isKnown(body.tag, known)) return response.writeHead(304).end();
    }
    const bytes = Buffer.byteLength(text);
    this.countAnswer(response, bytes);
    response.writeHead(statusCode ?? response.statusCode, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': bytes,
    });
    return response.end(text);
  }
}

/**
 * The classes of requests and responses that a server makes for an Express application.
 *
 * Express gives each message the prototype of its application. V8 then makes a hidden class for that one object, and
 * another for every property it is given later: no inline cache ever knows a request again, and old hidden classes keep
 * requests alive until the next full collection. Messages that have this prototype from birth are left as they are; a
 * minimal application answers three times as many of them.
 */
export function expressMessages(app: Express): {
  IncomingMessage: typeof IncomingMessage;
  ServerResponse: typeof ServerResponse<IncomingMessage>;
} {
  class ExpressRequest extends IncomingMessage {}
  class ExpressResponse extends ServerResponse {}
  Object.setPrototypeOf(ExpressRequest.prototype, app.request);
  Object.setPrototypeOf(ExpressResponse.prototype, app.response);
  Object.assign(app, { request: ExpressRequest.prototype, response: ExpressResponse.prototype });
  return { IncomingMessage: ExpressRequest, ServerResponse: ExpressResponse };
}

/** Shorter answers are not counted. */
const LARGE_BYTES = 256 * 1024;
/** The connection is closed when the client reads nothing of a large response for this long. */
const STALL_MS = 60_000;

/** Counts a large answer, for as long as it is kept for its client, to the memory of the caller's organization. */
export type CountAnswer = (response: Response, bytes: number) => void;

export function countingAnswers(budget: ByteBudget): CountAnswer {
  return (response, bytes) => {
    if (bytes < LARGE_BYTES) return;
    const owner = (response.req as PlatformRequest).membership?.orgId ?? '';
    budget.force(owner, bytes);
    response.once('close', () => budget.give(owner, bytes));
    response.setTimeout(STALL_MS, () => response.destroy());
  };
}
