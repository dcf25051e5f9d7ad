import { Global, Module } from '@nestjs/common';
import { IdempotencyGuard } from './idempotency.guard.js';
import { KeptAnswers } from './kept-answers.service.js';

@Global()
@Module({ providers: [IdempotencyGuard, KeptAnswers], exports: [IdempotencyGuard, KeptAnswers] })
export class IdempotencyModule {}
