import { Controller, Get, Header, HttpCode, Module, Req } from '@nestjs/common';
import { ApiExcludeController, ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { within } from '../../base/kernel/bounds/deadline.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { Settings } from '../../platform/config/settings.js';
import { ReadinessConnection } from '../../platform/database/connections/readiness-connection.js';
import { HttpModule } from '../../platform/http/http.module.js';
import type { PlatformRequest } from '../../platform/http/platform-request.js';
import { Requires } from '../../platform/http/requires.decorator.js';
import { Readiness } from '../../platform/http/server/listening.js';
import { Metrics } from './metrics.service.js';
import { mayReadMetrics } from './metrics-access.js';

const ANSWER_WITHIN_MS = 2_000;

class HealthView {
  @ApiProperty({ example: 'ready' }) status: string;
}

@ApiTags('Health')
@Controller('health')
class HealthController {
  constructor(
    private readonly connection: ReadinessConnection,
    private readonly readiness: Readiness,
  ) {}

  @Get('live')
  @HttpCode(200)
  @Requires({ public: true })
  @ApiOperation({ summary: 'Check that the process is alive' })
  @ApiOkResponse({ type: HealthView })
  live(): HealthView {
    return { status: 'live' };
  }

  @Get('ready')
  @HttpCode(200)
  @Requires({ public: true })
  @ApiOperation({ summary: 'Check that the database is connected and migrated' })
  @ApiOkResponse({ type: HealthView })
  async ready(): Promise<HealthView> {
    if (this.readiness.isLeaving) throw new PlatformError('Unavailable', 'This instance is stopping.');
    const { isMigrated, refusal } = await within(ANSWER_WITHIN_MS, this.connection.state(), () => {
      throw new PlatformError('Unavailable', 'The database does not answer.');
    });
    if (refusal !== undefined) {
      this.readiness.cannotGoOn(refusal);
      throw new PlatformError('Unavailable', refusal);
    }
    if (!isMigrated)
      throw new PlatformError('Unavailable', 'The database is not migrated: run npm run migrate.');
    return { status: 'ready' };
  }
}

/** Has no authentication guard, because monitoring systems have no credentials of this service. */
@ApiExcludeController()
@Controller('metrics')
class MetricsController {
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
      throw new PlatformError('NotFound', `There is no route at ${request.path}.`);
    }
    request.res?.setHeader('WWW-Authenticate', 'Bearer realm="metrics"');
    throw new PlatformError('Unauthorized', 'Send the token of METRICS_TOKEN as Authorization: Bearer.');
  }
}

@Module({
  imports: [HttpModule],
  controllers: [HealthController, MetricsController],
  providers: [Metrics],
  exports: [Metrics],
})
export class MetricsModule {}
