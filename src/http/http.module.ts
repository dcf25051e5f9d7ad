import { Module } from '@nestjs/common';
import { BodyGuard } from './body.guard.js';
import { CallerCheck } from './caller-check.js';
import { HealthController } from './health.controller.js';
import { IdentitySource } from './identity-source.js';

@Module({
  controllers: [HealthController],
  providers: [BodyGuard, CallerCheck, IdentitySource],
  exports: [BodyGuard, CallerCheck, IdentitySource],
})
export class HttpModule {}
