import { isUtf8 } from 'node:buffer';
import { type CanActivate, type ExecutionContext, Injectable } from '@nestjs/common';
import { Reflector } from '@nestjs/core';
import express, { type RequestHandler, type Response } from 'express';
import { Settings } from '../config/settings.js';
import { invalid, PlatformError } from '../kernel/errors.js';
import { FORM_BODY } from './form-body.decorator.js';
import { FORM_MEDIA_TYPE, parseForm } from './form-body.js';
import type { PlatformRequest } from './platform-request.js';
import { FORWARDED, STREAMED_BODY } from './streamed-body.decorator.js';

type Streamed = readonly string[] | typeof FORWARDED;

/**
 * Reads the body. A guard, and the last one: body and query string are judged only for a caller who may see what
 * they are about (contract: 401, 429, 404, 403, then 413/415/400).
 */
@Injectable()
export class BodyGuard implements CanActivate {
  private readonly read: RequestHandler;
  private readonly limit: number;

  constructor(
    settings: Settings,
    private readonly reflector: Reflector,
  ) {
    this.limit = settings.BODY_LIMIT_BYTES;
    this.read = express.raw({ type: () => true, limit: this.limit });
  }

  async canActivate(context: ExecutionContext): Promise<boolean> {
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    if (isMalformedQuery(request.originalUrl) && !this.isForwarded(context)) {
      throw invalid('The query string is not valid percent-encoded UTF-8.');
    }
    if (request.method === 'GET' || request.method === 'HEAD') return true;
    const streamed = this.reflector.get<Streamed | undefined>(STREAMED_BODY, context.getHandler());
    if (streamed !== undefined) {
      if (streamed !== FORWARDED) refuseOtherStreams(request, streamed);
      return true;
    }
    const hasBody =
      request.headers['transfer-encoding'] !== undefined || Number(request.headers['content-length']) > 0;
    request.body = {};
    if (!hasBody) return true;
    const parse = this.parserFor(request.headers['content-type'], context);
    if (Number(request.headers['content-length']) > this.limit) throw tooLarge();
    request.body = parse(await this.readBytes(request, context.switchToHttp().getResponse()));
    return true;
  }

  private isForwarded(context: ExecutionContext): boolean {
    return this.reflector.get(STREAMED_BODY, context.getHandler()) === FORWARDED;
  }

  /** Nearly every body is JSON: whether the route takes forms is looked up for nothing else. */
  private parserFor(contentType: string | undefined, context: ExecutionContext): (bytes: Buffer) => unknown {
    const type = mediaTypeOf(contentType);
    if (type === FORM_MEDIA_TYPE && this.reflector.get(FORM_BODY, context.getHandler())) return parseForm;
    return jsonParserFor(type);
  }

  /** What is not compressed, nearly everything, is taken as it comes; Express undoes compression. */
  private async readBytes(request: PlatformRequest, response: Response): Promise<Buffer> {
    const encoding = request.headers['content-encoding'] ?? 'identity';
    if (encoding === 'identity') return readPlain(request, this.limit);
    request.body = undefined;
    await this.inflate(request, response);
    return request.body as unknown as Buffer;
  }

  /** Rejects as soon as too much came; Express alone would first wait for the end, which may never come. */
  private inflate(request: PlatformRequest, response: Response): Promise<void> {
    return new Promise((resolve, reject) => {
      let received = 0;
      this.read(request, response, error => (error === undefined ? resolve() : reject(refusal(error))));
      request.on('data', (chunk: Buffer) => {
        received += chunk.length;
        if (received > this.limit) reject(tooLarge());
      });
    });
  }
}

/** Rejects as soon as too much came; what comes after that is let go. */
function readPlain(request: PlatformRequest, limit: number): Promise<Buffer> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let received = 0;
    request.on('data', (chunk: Buffer) => {
      received += chunk.length;
      if (received <= limit) chunks.push(chunk);
      else reject(tooLarge());
    });
    request.once('end', () => resolve(chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks)));
    request.once('error', () => reject(refusal({})));
    // After its end a request is closed, too; an error costs its stack.
    request.once('close', () => {
      if (!request.complete) reject(refusal({}));
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

/** Parses a JSON body; refuses invalid UTF-8, malformed JSON and `__proto__` keys, however they are escaped. */
export function parseJson(bytes: Buffer): unknown {
  if (bytes === undefined || bytes.length === 0) return {};
  if (!isUtf8(bytes)) throw invalid('The body is not valid UTF-8.');
  const text = bytes.toString('utf8');
  // Any letter of it may be escaped: they lie between U+005F and U+0074.
  const suspicious = text.includes('__proto__') || /\\u00[5-7]/i.test(text);
  try {
    return JSON.parse(text, suspicious ? refuseProto : undefined);
  } catch (error) {
    if (error instanceof PlatformError) throw error;
    throw invalid(`The body is not valid JSON: ${(error as Error).message.slice(0, 200)}`);
  }
}

function refuseProto(key: string, value: unknown): unknown {
  if (key === '__proto__') throw invalid('A field must not be named __proto__.');
  return value;
}

function tooLarge(): PlatformError {
  return new PlatformError('PayloadTooLarge', 'The body is larger than the limit.');
}

function refusal(error: { type?: string }): PlatformError {
  if (error.type === 'entity.too.large') return tooLarge();
  if (error.type === 'encoding.unsupported') {
    return new PlatformError(
      'UnsupportedMediaType',
      'The content encoding is not supported: use gzip, deflate, br or identity.',
    );
  }
  return invalid('The body could not be read as it was announced.');
}
