import { Module } from '@nestjs/common';
import { BodyGuard } from './body.guard.js';
import { HealthController } from './health.controller.js';

@Module({ controllers: [HealthController], providers: [BodyGuard], exports: [BodyGuard] })
export class HttpModule {}
