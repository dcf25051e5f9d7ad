import { Module } from '@nestjs/common';
import { BodyGuard } from './body.guard.js';
import { BodyMemory } from './body-memory.js';
import { IdentitySource } from './identity-source.js';
import { Readiness } from './readiness.js';
import { RootController } from './root.controller.js';

@Module({
  controllers: [RootController],
  providers: [BodyGuard, BodyMemory, IdentitySource, Readiness],
  exports: [BodyGuard, IdentitySource, Readiness],
})
export class HttpModule {}
