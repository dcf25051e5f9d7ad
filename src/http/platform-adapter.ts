import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import { StreamableFile } from '@nestjs/common';
import { ExpressAdapter } from '@nestjs/platform-express';
import type { Response } from 'express';
import { JsonText } from '../kernel/json.js';
import { answerParserRefusals, serveUpgrades } from './connections.js';
import { isKnown } from './entity-tags.js';
import { expressMessages } from './express-messages.js';
import type { CountAnswer } from './large-answers.js';
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

/** What is done to every request before Express looks for its route. It never waits; true when it has answered. */
export type FirstStep = (request: PlatformRequest, response: Response) => boolean | undefined;

const VERBS = ['get', 'head', 'post', 'put', 'patch', 'delete', 'options', 'all'];

/** Objects and lists that are nothing but data: what Express would do beyond JSON.stringify is not wanted here. */
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

  /** Told of every JSON answer before it is sent. */
  countAnswers(count: CountAnswer): void {
    this.countAnswer = count;
  }

  /** Requests for WebSockets reach their routes. */
  takeUpgrades(): void {
    serveUpgrades(this.httpServer, this.serve.bind(this));
  }

  /** Routes that there are, but not in this process. Called before any is registered. */
  leaveOut(isElsewhere: (path: string) => boolean): void {
    const verbs = this as unknown as Record<string, (...values: unknown[]) => unknown>;
    for (const verb of VERBS) {
      const register = verbs[verb]!.bind(this);
      verbs[verb] = (path, ...handlers) => isElsewhere(String(path)) || register(path, ...handlers);
    }
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
