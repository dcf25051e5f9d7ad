import { hash } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { ownTurn } from '../../../base/kernel/bounds/own-turn.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { Settings } from '../../config/settings.js';
import { AccessStep, type Check, type Route } from '../access/access-step.js';
import type { PlatformRequest } from '../platform-request.js';
import { announcesBody } from '../server/connections.js';
import { FORM_BODY, FORWARDED, RECORDS_BODY, SMALL_BODY_BYTES, STREAMED_BODY } from './body.decorators.js';
import { BodyArrivals } from './body-arrivals.js';
import { BodyMemory, BodyReader, ownerOf, tooLarge } from './body-reader.js';
import { FORM_MEDIA_TYPE, formOfJson, parseForm } from './form-body.js';
import { parseJson } from './json-body.js';

/** A request with so long a body blocks the process for milliseconds: it is parsed, validated and serialized. */
const BLOCKING_BYTES = 64 * 1024;

/** Resolves or returns the value of a body. `owner`: see `ownTurn`. */
type Parser = (bytes: Buffer, owner: string) => unknown;

/** How the body of a route is read. */
interface BodyRule {
  /** Media types of a body that the route reads itself. */
  readonly streamed: readonly string[] | typeof FORWARDED | undefined;
  readonly takesForms: boolean;
  /** Maximum number of bytes after decompression. */
  readonly limit: number;
}

/**
 * Reads the body. It runs after the checks of the caller, so that the body is validated only for callers
 * who may use the route (contract: 401, 429, 404, 403, then 413/415/400).
 */
@Injectable()
export class BodyStep extends AccessStep {
  private readonly reader: BodyReader;
  private readonly parseJson: Parser;

  constructor(
    private readonly settings: Settings,
    memory: BodyMemory,
  ) {
    super();
    const times = { totalMs: settings.BODY_TIMEOUT_MS, stallMs: settings.BODY_STALL_TIMEOUT_MS };
    this.reader = new BodyReader(memory, new BodyArrivals(times));
    this.parseJson = (bytes, owner) => parseJson(bytes, undefined, memory.mostContainers, owner);
  }

  checkFor(route: Route): Check {
    const rule = this.ruleOf(route);
    return (request, response) => {
      if (request.method === 'GET' || request.method === 'HEAD') return undefined;
      if (rule.streamed !== undefined) {
        if (rule.streamed !== FORWARDED) refuseOtherStreams(request, rule.streamed);
        return undefined;
      }
      request.body = {};
      return announcesBody(request) ? this.read(rule, request, response) : undefined;
    };
  }

  private async read(rule: BodyRule, request: PlatformRequest, response: Response): Promise<void> {
    const parse = this.parserFor(request.headers['content-type'], rule);
    if (Number(request.headers['content-length']) > rule.limit) throw tooLarge(rule.limit);
    const bytes = await this.reader.read(request, response, rule.limit);
    const owner = ownerOf(request);
    if (bytes.length > BLOCKING_BYTES) {
      request.hasLongBody = true;
      await ownTurn(owner);
    }
    if (request.headers['idempotency-key'] !== undefined) request.bodyHash = hash('sha256', bytes, 'hex');
    const parsed = parse(bytes, owner);
    const body = parsed instanceof Promise ? await parsed : parsed;
    request.body = rule.takesForms ? formOfJson(body) : body;
  }

  /** Nearly every body is JSON. */
  private parserFor(contentType: string | undefined, { takesForms }: BodyRule): Parser {
    const type = mediaTypeOf(contentType);
    if (type === FORM_MEDIA_TYPE && takesForms) return parseForm;
    requireJson(type);
    return this.parseJson;
  }

  private ruleOf(route: Route): BodyRule {
    const { BODY_LIMIT_BYTES: largest } = this.settings;
    return {
      streamed: route.metadata(STREAMED_BODY),
      takesForms: route.metadata(FORM_BODY) === true,
      limit: route.metadata(RECORDS_BODY) === true ? largest : Math.min(SMALL_BODY_BYTES, largest),
    };
  }
}

/** Refuses media types that a route with a streamed body does not accept, and encodings other than gzip. */
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

function requireJson(type: string): void {
  if (type === 'application/json' || /^application\/[\w.-]+\+json$/.test(type)) return;
  throw new PlatformError(
    'UnsupportedMediaType',
    'The body must be JSON: send Content-Type: application/json.',
  );
}

/** The media type without its parameters. Throws 415 for a charset other than UTF-8. */
export function mediaTypeOf(contentType: string | undefined): string {
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
