import { Module } from '@nestjs/common';
import { AuthFailures } from './auth-failures.service.js';
import { RateLimitGuard } from './rate-limit.guard.js';
import { SourceAttempts } from './source-attempts.service.js';

/** Who asks too often is told to wait. */
@Module({
  providers: [SourceAttempts, AuthFailures, RateLimitGuard],
  exports: [SourceAttempts, AuthFailures, RateLimitGuard],
})
export class RateLimitModule {}
