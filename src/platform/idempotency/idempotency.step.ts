import { HttpStatus, Injectable } from '@nestjs/common';
import { HTTP_CODE_METADATA } from '@nestjs/common/constants.js';
import type { Retry } from '../../base/kernel/call.js';
import { invalid } from '../../base/kernel/errors.js';
import type { Principal } from '../../base/kernel/principal.js';
import { Secrets } from '../config/secrets.js';
import { type Check, IdempotencyStep, type Route } from '../http/access/access-step.js';
import { STREAMED_BODY } from '../http/body/body.decorators.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { BodyDigest, StreamDigest } from './request-digest.js';
import { RETRYABLE } from './retryable.decorator.js';
import { encryptionContext, StoredResponses } from './stored-responses.js';

const KEY = /^[\x21-\x7e]{1,255}$/;

/**
 * Answers a repeated request with the stored response of the first one. The write itself claims its key and fails when
 * there is a stored response, which is then looked up, so a first attempt costs no look-up. It is the last step: a retry
 * is authorized like any other request.
 */
@Injectable()
export class Idempotency extends IdempotencyStep {
  constructor(
    private readonly responses: StoredResponses,
    private readonly secrets: Secrets,
  ) {
    super();
  }

  checkFor(route: Route): Check | undefined {
    if (route.metadata(RETRYABLE) === undefined) return undefined;
    const streamed = route.metadata(STREAMED_BODY) !== undefined;
    const status = route.metadata<number>(HTTP_CODE_METADATA);
    return request => {
      const header = request.headers['idempotency-key'];
      if (header === undefined) return undefined;
      return this.admit(request, this.retry(request, header, { streamed, status }));
    };
  }

  private admit(request: PlatformRequest, retry: Retry): Promise<void> | undefined {
    request.retry = retry;
    if (retry.digest.value === undefined || isDryRun(request)) return this.lookUpFirst(request, retry);
    request.isRetryAdmitted = true;
    return undefined;
  }

  /** For a request whose body is not read in vain, and for one that claims no key because it writes nothing. */
  private async lookUpFirst(request: PlatformRequest, retry: Retry): Promise<void> {
    await this.responses.refuseRepeated(retry, request);
    request.isRetryAdmitted = true;
  }

  /** An equal request may have succeeded while this one ran: then its stored response is sent. */
  override async afterFailure(failure: unknown, request: PlatformRequest): Promise<unknown> {
    const { retry, isRetryAdmitted } = request;
    return retry === undefined || !isRetryAdmitted
      ? failure
      : this.responses.reconsider(retry, failure, request);
  }

  private retry(
    request: PlatformRequest,
    header: string | string[],
    { streamed, status }: { readonly streamed: boolean; readonly status: number | undefined },
  ): Retry {
    const { principal, membership } = request;
    if (principal === undefined || membership === undefined) throw new Error('a retry needs a caller');
    const { orgId } = membership;
    const { method, originalUrl } = request;
    const [caller, key] = [retryCaller(principal), idempotencyKey(header)];
    return {
      orgId,
      caller,
      key,
      digest: streamed ? new StreamDigest(method, request.urlById ?? originalUrl) : new BodyDigest(request),
      status: status ?? (method === 'POST' ? HttpStatus.CREATED : HttpStatus.OK),
      encrypt: answer => this.secrets.encrypt(answer, encryptionContext({ orgId, caller, key })),
    };
  }
}

function isDryRun({ body }: PlatformRequest): boolean {
  return (body as { dry_run?: unknown } | null | undefined)?.dry_run === true;
}

/** The value of the header. Throws 400 unless it was sent once and is 1 to 255 visible ASCII characters. */
export function idempotencyKey(header: string | string[]): string {
  if (typeof header !== 'string' || !KEY.test(header)) {
    throw invalid('Idempotency-Key: expects 1 to 255 visible ASCII characters, without spaces');
  }
  return header;
}

/**
 * The caller that a key belongs to: the principal, whichever credential it used. A narrowed credential, and a
 * user who acts for an agent, is a caller of its own, because it must not see responses that a stronger credential of
 * the same principal received.
 */
export function retryCaller({ type, id, narrowedTo, credentialId, actingUserId }: Principal): string {
  const own = narrowedTo === undefined ? actingUserId : credentialId;
  return own === undefined ? `${type}:${id}` : `${type}:${id}:${own}`;
}
