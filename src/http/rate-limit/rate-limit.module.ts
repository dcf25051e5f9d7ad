import { Module } from '@nestjs/common';
import { AuthFailures } from './auth-failures.service.js';
import { RateLimits } from './rate-limit.step.js';
import { SourceAttempts } from './source-attempts.service.js';

/** Who asks too often is told to wait. */
@Module({
  providers: [SourceAttempts, AuthFailures, RateLimits],
  exports: [SourceAttempts, AuthFailures, RateLimits],
})
export class RateLimitModule {}
