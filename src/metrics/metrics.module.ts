import { Module } from '@nestjs/common';
import { HttpModule } from '../http/http.module.js';
import { HealthController } from './health.controller.js';
import { MetricsController } from './metrics.controller.js';
import { Metrics } from './metrics.service.js';

@Module({
  imports: [HttpModule],
  controllers: [HealthController, MetricsController],
  providers: [Metrics],
  exports: [Metrics],
})
export class MetricsModule {}
