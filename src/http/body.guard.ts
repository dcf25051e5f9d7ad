import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import express, { type RequestHandler, type Response } from 'express';
import { Settings } from '../config/settings.js';
import { invalid, PlatformError } from '../kernel/errors.js';
import { type Arrival, BodyArrivals } from './body-arrivals.js';
import { FORM_BODY } from './form-body.decorator.js';
import { FORM_MEDIA_TYPE, parseForm } from './form-body.js';
import { parseJson } from './json-body.js';
import type { PlatformRequest } from './platform-request.js';
import { RECORDS_BODY, SMALL_BODY_BYTES } from './records-body.decorator.js';
import { FORWARDED, STREAMED_BODY } from './streamed-body.decorator.js';

/** How the body of a route is taken. */
interface BodyRule {
  /** Media types of a body that the route reads itself. */
  readonly streamed: readonly string[] | typeof FORWARDED | undefined;
  readonly takesForms: boolean;
  /** Largest body, in bytes, after decompression. */
  readonly limit: number;
  /** Undoes compression, up to the limit. */
  readonly inflate: RequestHandler;
}

/**
 * Reads the body. It follows the guards that judge the caller: body and query string are judged only for a caller who
 * may see what they are about (contract: 401, 429, 404, 403, then 413/415/400).
 */
@Injectable()
export class BodyGuard implements CanActivate {
  private readonly rules = new Map<unknown, BodyRule>();
  private readonly arrivals: BodyArrivals;

  constructor(
    private readonly settings: Settings,
    private readonly reflector: Reflector,
  ) {
    this.arrivals = new BodyArrivals({
      totalMs: settings.BODY_TIMEOUT_MS,
      stallMs: settings.BODY_STALL_TIMEOUT_MS,
    });
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    const rule = this.ruleOf(context);
    if (rule.streamed !== FORWARDED && isMalformedQuery(request.originalUrl)) {
      throw invalid('The query string is not valid percent-encoded UTF-8.');
    }
    if (request.method === 'GET' || request.method === 'HEAD') return true;
    if (rule.streamed !== undefined) {
      if (rule.streamed !== FORWARDED) refuseOtherStreams(request, rule.streamed);
      return true;
    }
    const hasBody =
      request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0;
    request.body = {};
    if (!hasBody) return true;
    const parse = parserFor(request.headers['content-type'], rule);
    if (Number(request.headers['content-length']) > rule.limit) throw tooLarge(rule.limit);
    const parsed = parse(await this.readBytes(request, context.switchToHttp().getResponse(), rule));
    request.body = parsed instanceof Promise ? await parsed : parsed;
    return true;
  }

  /** What is not compressed, nearly everything, is taken as it comes; Express undoes compression. */
  private async readBytes(request: PlatformRequest, response: Response, rule: BodyRule): Promise<Buffer> {
    const arrival = this.arrivals.begin(request.socket);
    try {
      const encoding = request.headers['content-encoding'] ?? 'identity';
      if (encoding === 'identity') return await readPlain(request, rule.limit, arrival);
      request.body = undefined;
      await inflate(request, response, rule, arrival);
      return request.body ?? Buffer.alloc(0);
    } finally {
      this.arrivals.end(arrival);
    }
  }

  private ruleOf(context: ExecutionContext): BodyRule {
    const [handler, controller] = [context.getHandler(), context.getClass()];
    let rule = this.rules.get(handler);
    if (rule === undefined) {
      const ofRecords = this.reflector.getAllAndOverride<true | undefined>(RECORDS_BODY, [
        handler,
        controller,
      ]);
      const { BODY_LIMIT_BYTES: largest } = this.settings;
      const limit = ofRecords ? largest : Math.min(SMALL_BODY_BYTES, largest);
      rule = {
        streamed: this.reflector.get(STREAMED_BODY, handler),
        takesForms: this.reflector.get(FORM_BODY, handler) === true,
        limit,
        inflate: express.raw({ type: () => true, limit }),
      };
      this.rules.set(handler, rule);
    }
    return rule;
  }
}

/** Nearly every body is JSON. */
function parserFor(contentType: string | undefined, { takesForms }: BodyRule): (bytes: Buffer) => unknown {
  const type = mediaTypeOf(contentType);
  return type === FORM_MEDIA_TYPE && takesForms ? parseForm : jsonParserFor(type);
}

/** Rejects as soon as too much came; Express alone would first wait for the end, which may never come. */
function inflate(
  request: PlatformRequest,
  response: Response,
  rule: BodyRule,
  arrival: Arrival,
): Promise<void> {
  return new Promise((resolve, reject) => {
    arrival.giveUp = reject;
    let received = 0;
    rule.inflate(request, response, error =>
      error === undefined ? resolve() : reject(refusal(error, rule.limit)),
    );
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received > rule.limit) reject(tooLarge(rule.limit));
    });
  });
}

/** Rejects as soon as too much came; what comes after that is let go. */
function readPlain(request: PlatformRequest, limit: number, arrival: Arrival): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    arrival.giveUp = reject;
    const chunks: Buffer[] = [];
    let received = 0;
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received <= limit) chunks.push(chunk);
      else reject(tooLarge(limit));
    });
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.once('error', () => reject(refusal({}, limit)));
    // After its end a request is closed, too; an error costs its stack.
    request.once('close', () => {
      if (!request.complete) reject(refusal({}, limit));
    });
  });
}

/** Express would read what it cannot decode as other text than was sent. */
function isMalformedQuery(url: string): boolean {
  const start = url.indexOf('?');
  if (start < 0 || !url.includes('%', start)) return false;
  try {
    decodeURIComponent(url.slice(start));
    return false;
  } catch {
    return true;
  }
}

/** A route that reads its body as it comes takes the media types it names, and no encoding but gzip. */
function refuseOtherStreams({ headers }: PlatformRequest, mediaTypes: readonly string[]): void {
  if (!mediaTypes.includes(mediaTypeOf(headers['content-type']))) {
    throw new PlatformError('UnsupportedMediaType', `The body must be ${mediaTypes.join(' or ')}.`);
  }
  if (
    !['gzip', 'x-gzip', 'identity', undefined].includes(headers['content-encoding']?.trim().toLowerCase())
  ) {
    throw new PlatformError(
      'UnsupportedMediaType',
      'The content encoding is not supported: use gzip or identity.',
    );
  }
}

function jsonParserFor(type: string): (bytes: Buffer) => unknown {
  if (type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type)) return parseJson;
  throw new PlatformError(
    'UnsupportedMediaType',
    'The body must be JSON: send Content-Type: application/json.',
  );
}

/** The media type without its parameters. Throws 415 for a charset other than UTF-8. */
function mediaTypeOf(contentType: string | undefined): string {
  const [type = '', ...parameters] = (contentType ?? '')
    .toLowerCase()
    .split(';')
    .map(part => part.trim());
  const charset = parameters.find(part => part.startsWith('charset='))?.slice('charset='.length);
  if (charset !== undefined && !['utf-8', '"utf-8"', 'utf8'].includes(charset)) {
    throw new PlatformError('UnsupportedMediaType', 'The body must be UTF-8.');
  }
  return type;
}

function tooLarge(limit: number): PlatformError {
  return new PlatformError('PayloadTooLarge', `The body is larger than the limit of ${limit} bytes.`);
}

function refusal(error: { type?: string }, limit: number): PlatformError {
  if (error.type === 'entity.too.large') return tooLarge(limit);
  if (error.type === 'encoding.unsupported') {
    return new PlatformError(
      'UnsupportedMediaType',
      'The content encoding is not supported: use gzip, deflate, br or identity.',
    );
  }
  return invalid('The body could not be read as it was announced.');
}
