import { Module } from '@nestjs/common';
import { BodyGuard } from './body.guard.js';
import { CallerCheck } from './caller-check.js';
import { IdentitySource } from './identity-source.js';
import { Readiness } from './readiness.js';

@Module({
  providers: [BodyGuard, CallerCheck, IdentitySource, Readiness],
  exports: [BodyGuard, CallerCheck, IdentitySource, Readiness],
})
export class HttpModule {}
