import { Module } from '@nestjs/common';
import { BodyStep } from './body.step.js';
import { BodyMemory } from './body-memory.js';
import { Readiness } from './listening.js';
import { RootController } from './root.controller.js';

@Module({
  controllers: [RootController],
  providers: [BodyStep, BodyMemory, Readiness],
  exports: [BodyStep, Readiness],
})
export class HttpModule {}
