import { Module } from '@nestjs/common';
import { BodyGuard } from './body.guard.js';
import { CallerCheck } from './caller-check.js';
import { HealthController } from './health.controller.js';

@Module({
  controllers: [HealthController],
  providers: [BodyGuard, CallerCheck],
  exports: [BodyGuard, CallerCheck],
})
export class HttpModule {}
