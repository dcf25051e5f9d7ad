import { Module } from '@nestjs/common';
import { BodyGuard } from './body.guard.js';
import { IdentitySource } from './identity-source.js';
import { Readiness } from './readiness.js';
import { RootController } from './root.controller.js';

@Module({
  controllers: [RootController],
  providers: [BodyGuard, IdentitySource, Readiness],
  exports: [BodyGuard, IdentitySource, Readiness],
})
export class HttpModule {}
