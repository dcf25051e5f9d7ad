import { Controller, Get, Header, Req } from '@nestjs/common';
import { ApiExcludeController } from '@nestjs/swagger';
import { Settings } from '../config/settings.js';
import type { PlatformRequest } from '../http/platform-request.js';
import { Requires } from '../http/requires.decorator.js';
import { PlatformError } from '../kernel/errors.js';
import { Metrics } from './metrics.service.js';
import { mayReadMetrics } from './metrics-access.js';

/** For the monitoring system, which is no caller of the platform. */
@ApiExcludeController()
@Controller('metrics')
export class MetricsController {
  constructor(
    private readonly metrics: Metrics,
    private readonly settings: Settings,
  ) {}

  @Get()
  @Header('Content-Type', 'text/plain; version=0.0.4; charset=utf-8')
  @Header('Cache-Control', 'no-store')
  @Requires({ public: true })
  read(@Req() request: PlatformRequest): Promise<string> {
    if (mayReadMetrics(request, this.settings)) return this.metrics.text();
    if (this.settings.METRICS_TOKEN === undefined) {
      throw new PlatformError('NotFound', `There is nothing at ${request.path}.`);
    }
    request.res?.setHeader('WWW-Authenticate', 'Bearer realm="metrics"');
    throw new PlatformError('Unauthorized', 'This needs the token of METRICS_TOKEN.');
  }
}
