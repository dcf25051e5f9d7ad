import { Controller, Get, HttpCode } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { ReadinessConnection } from '../database/readiness-connection.js';
import { Readiness } from '../http/listening.js';
import { Requires } from '../http/requires.decorator.js';
import { PlatformError } from '../kernel/errors.js';
import { within } from '../kernel/within.js';

const ANSWER_WITHIN_MS = 2_000;

export class HealthView {
  @ApiProperty({ example: 'ready' }) status: string;
}

@ApiTags('Health')
@Controller('health')
export class HealthController {
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
    const isMigrated = await within(ANSWER_WITHIN_MS, this.connection.isMigrated(), () => {
      throw new PlatformError('Unavailable', 'The database does not answer.');
    });
    if (!isMigrated)
      throw new PlatformError('Unavailable', 'The database is not migrated: run npm run migrate.');
    return { status: 'ready' };
  }
}
