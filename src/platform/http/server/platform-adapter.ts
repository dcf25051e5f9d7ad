import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import type { ByteBudget } from '../../../base/kernel/bounds/byte-budget.js';
import { JsonText } from '../../../base/kernel/json.js';
import { isKnown } from '../entity-tags.js';
import type { PlatformRequest } from '../platform-request.js';
import { type ExpressMessages, expressMessages } from '../private-api.js';
import {
  announcesBody,
  answerParserRefusals,
  closeStalled,
  closeUnusedWhenStopping,
  closeWithConnection,
  limitDiscarding,
  serveUpgrades,
  whenClosed,
} from './connections.js';
import { FixedHeaders } from './fixed-headers.js';
import { acceptFirst } from './newcomers.js';

/**
 * Requests have no time limit as a whole: files may take hours, and each reader of a body has its own limits. What nobody
 * reads has the limit of `limitDiscarding`. Headers have a time limit, which is checked every five seconds.
 */
const HEADERS_TIMEOUT_MS = 20_000;
const TIMES = {
  // `requireOneHost` refuses such requests with an error body.
  requireHostHeader: false,
  requestTimeout: 0,
  headersTimeout: HEADERS_TIMEOUT_MS,
  connectionsCheckingInterval: 5_000,
  // A connection whose body is not read holds one chunk of at most 64 KiB. With Node's larger default it holds two.
  highWaterMark: 16 * 1024,
};
/** Unless the connections are limited. */
const MAX_BACKLOG = 4_096;
/** The connection is closed when the client reads nothing of a response for this long. */
const STALL_MS = 60_000;

/**
 * Runs for every request before Express routes it. It is synchronous, and returns true when it has sent the response.
 */
export type FirstStep = (request: PlatformRequest, response: Response) => boolean | undefined;

/** Plain objects and lists. JSON.stringify is enough for them, so Express's own conversion is skipped. */
function isPlain(body: unknown): boolean {
  return (
    typeof body === 'object' && body !== null && !(body instanceof Error) && !(body instanceof StreamableFile)
  );
}

/**
 * Node joins a text with the head of the response, so that both are one write. It copies the text twice for that and
 * reserves three bytes for each character, so a longer text is turned into bytes first.
 */
const SHORT = 2_048;

/**
 * Nest on Express, with changes for speed. JSON text is sent unchanged, with its entity tag if it has one. Steps for
 * every request run before Express, where each middleware would cost a routing step. Messages have Express's prototypes
 * from their creation, see `expressMessages`.
 */
export class PlatformAdapter extends ExpressAdapter {
  private firstSteps: readonly FirstStep[] = [];
  private countAnswer: CountAnswer = () => {};
  private fixedHeaders = new FixedHeaders();
  private isLeaving = () => false;
  private messages!: ExpressMessages;

  doFirst(...steps: FirstStep[]): void {
    this.firstSteps = steps;
  }

  /** Sends these headers with every response that does not set its own of the same name. */
  sendAlways(headers: FixedHeaders): void {
    this.fixedHeaders = headers;
  }

  /** While `isLeaving` is true, each response is the last one on its connection (`Connection: close`). */
  endConnectionsWhile(isLeaving: () => boolean): void {
    this.isLeaving = isLeaving;
  }

  /** Calls `count` for every JSON response before it is sent. */
  countAnswers(count: CountAnswer): void {
    this.countAnswer = count;
  }

  /** Routes WebSocket requests like other requests. */
  takeUpgrades(): void {
    serveUpgrades(this.httpServer, this.serve.bind(this), this.messages.ServerResponse);
  }

  override initHttpServer(): void {
    this.messages = expressMessages(
      this.getInstance(),
      () => this.fixedHeaders,
      () => this.isLeaving(),
    );
    this.httpServer = createServer({ ...TIMES, ...this.messages }, this.serve.bind(this));
    closeUnusedWhenStopping(this.httpServer);
    acceptFirst(this.httpServer);
    answerParserRefusals(this.httpServer);
    closeStalled(this.httpServer, STALL_MS);
  }

  /** `keepAliveMs`: how long a connection without a request stays open. Connections beyond `most` are closed at once. */
  limitConnections(keepAliveMs: number, most: number): void {
    this.httpServer.keepAliveTimeout = keepAliveMs;
    this.httpServer.maxConnections = most;
  }

  /**
   * Lets as many connections wait to be accepted as may be open, up to the limit of the operating system. Node's default
   * of 511 is full when one client opens a thousand at once: then connections of all clients are tried again only after
   * 1, 3, 7 and 15 seconds.
   */
  override listen(port: number | string, ...[host, callback]: (string | (() => void) | undefined)[]): Server {
    const backlog = this.httpServer.maxConnections ?? MAX_BACKLOG;
    return typeof host === 'string'
      ? this.httpServer.listen({ port, host, backlog }, callback as () => void)
      : this.httpServer.listen({ port, backlog }, host);
  }

  private serve(request: IncomingMessage, response: ServerResponse): void {
    (request as PlatformRequest).startedAt = performance.now();
    if (announcesBody(request)) limitDiscarding(request, response);
    closeWithConnection(request, response);
    for (const step of this.firstSteps) {
      if (step(request as PlatformRequest, response as Response) === true) return;
    }
    this.getInstance()(request, response);
  }

  override reply(response: Response, body: unknown, statusCode?: number): unknown {
    const json = body instanceof JsonText ? body.content : isPlain(body) ? JSON.stringify(body) : undefined;
    if (json === undefined) return super.reply(response, body, statusCode);
    const tag = body instanceof JsonText ? body.tag : undefined;
    const tagged = tag === undefined ? undefined : { ETag: `"${tag}"` };
    if (tag !== undefined) {
      const { method, headers } = response.req;
      const known = method === 'PATCH' ? undefined : headers['if-none-match'];
      if (known !== undefined && isKnown(tag, known)) return response.writeHead(304, tagged).end();
    }
    const sent = typeof json === 'string' && json.length > SHORT ? Buffer.from(json) : json;
    const bytes = Buffer.byteLength(sent);
    this.countAnswer(response, bytes);
    response.writeHead(statusCode ?? response.statusCode, {
      'Content-Type': 'application/json; charset=utf-8',
      'Content-Length': bytes,
      ...tagged,
    });
    return response.end(sent);
  }
}

/** The place of a request counts shorter responses, see `PlaceStep`. */
const LARGE_BYTES = 128 * 1024;

/** Counts a large response as memory of the caller's organization until the client has received it. */
export type CountAnswer = (response: Response, bytes: number) => void;

export function countingAnswers(budget: ByteBudget): CountAnswer {
  return (response, bytes) => {
    if (bytes < LARGE_BYTES) return;
    const { membership, principal } = response.req as PlatformRequest;
    const owner = membership?.orgId ?? '';
    budget.force(owner, bytes, principal?.id);
    whenClosed(response, () => budget.give(owner, bytes, principal?.id));
  };
}
