import { Module } from '@nestjs/common';
import { BodyGuard } from './body.guard.js';
import { IdentitySource } from './identity-source.js';
import { Readiness } from './readiness.js';

@Module({
  providers: [BodyGuard, IdentitySource, Readiness],
  exports: [BodyGuard, IdentitySource, Readiness],
})
export class HttpModule {}
