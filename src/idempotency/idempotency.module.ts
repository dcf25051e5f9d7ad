import { Global, Module } from '@nestjs/common';
import { IdempotencyStep } from '../http/access/access-step.js';
import { Idempotency } from './idempotency.step.js';
import { KeptAnswers } from './kept-answers.service.js';

@Global()
@Module({
  providers: [{ provide: IdempotencyStep, useClass: Idempotency }, KeptAnswers],
  exports: [IdempotencyStep, KeptAnswers],
})
export class IdempotencyModule {}
