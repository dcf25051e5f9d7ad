import { type CanActivate, type ExecutionContext, HttpStatus, Injectable } from '@nestjs/common';
import { HTTP_CODE_METADATA } from '@nestjs/common/constants.js';
import { Reflector } from '@nestjs/core';
import { Secrets } from '../config/secrets.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { STREAMED_BODY } from '../http/streamed-body.decorator.js';
import type { Retry } from '../kernel/retry.js';
import { idempotencyKey, retryCaller } from './idempotency-key.js';
import { sealedFor } from './kept-answer.js';
import { KeptAnswers } from './kept-answers.service.js';
import { digestOf, digestOfStream } from './request-digest.js';
import { RETRYABLE } from './retryable.decorator.js';

/**
 * Answers a request that was answered before. The last guard: a retry is judged like any other request, and its body
 * has been read. A request without the header passes without waiting for anything.
 */
@Injectable()
export class IdempotencyGuard implements CanActivate {
  constructor(
    private readonly reflector: Reflector,
    private readonly answers: KeptAnswers,
    private readonly secrets: Secrets,
  ) {}

  canActivate(context: ExecutionContext): boolean | Promise<boolean> {
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    const header = request.headers['idempotency-key'];
    if (header === undefined || !this.reflector.get(RETRYABLE, context.getHandler())) return true;
    return this.admit(request, this.retry(request, header, context));
  }

  private async admit(request: PlatformRequest, retry: Retry): Promise<true> {
    request.retry = retry;
    await this.answers.refuseRepeated(retry, request);
    request.reconsider = failure => this.answers.reconsider(retry, failure, request);
    return true;
  }

  private retry(request: PlatformRequest, header: string | string[], context: ExecutionContext): Retry {
    const { principal, membership } = request;
    if (principal === undefined || membership === undefined) throw new Error('a retry needs a caller');
    const { orgId } = membership;
    const { method, body } = request;
    const url = request.urlById ?? request.originalUrl;
    const [caller, key] = [retryCaller(principal), idempotencyKey(header)];
    const streamed = this.reflector.get(STREAMED_BODY, context.getHandler()) !== undefined;
    const code = this.reflector.get<number | undefined>(HTTP_CODE_METADATA, context.getHandler());
    return {
      orgId,
      caller,
      key,
      digest: streamed ? digestOfStream(method, url) : digestOf(method, url, body),
      status: code ?? (method === 'POST' ? HttpStatus.CREATED : HttpStatus.OK),
      seal: answer => this.secrets.encrypt(answer, sealedFor({ orgId, caller, key })),
    };
  }
}
