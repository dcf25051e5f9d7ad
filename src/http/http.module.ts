import { Module } from '@nestjs/common';
import { BodyGuard } from './body.guard.js';
import { CallerCheck } from './caller-check.js';
import { HealthController } from './health.controller.js';
import { IdentitySource } from './identity-source.js';
import { Readiness } from './readiness.js';

@Module({
  controllers: [HealthController],
  providers: [BodyGuard, CallerCheck, IdentitySource, Readiness],
  exports: [BodyGuard, CallerCheck, IdentitySource, Readiness],
})
export class HttpModule {}
