import { Global, Module } from '@nestjs/common';
import { IdempotencyStep } from '../http/access/access-step.js';
import { Idempotency } from './idempotency.step.js';
import { StoredResponses } from './stored-responses.js';

@Global()
@Module({
  providers: [{ provide: IdempotencyStep, useClass: Idempotency }, StoredResponses],
  exports: [IdempotencyStep, StoredResponses],
})
export class IdempotencyModule {}
