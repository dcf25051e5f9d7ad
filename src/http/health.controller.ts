import { Controller, Get, HttpCode } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { PlatformError } from '../kernel/errors.js';
import { within } from '../kernel/within.js';
import { Readiness } from './readiness.js';
import { Requires } from './requires.decorator.js';

const MIGRATED = `SELECT to_regclass('collections') IS NOT NULL AS migrated`;
const ANSWER_WITHIN_MS = 2_000;

export class HealthView {
  @ApiProperty({ example: 'ready' }) status: string;
}

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly readiness: Readiness,
  ) {}

  @Get('live')
  @HttpCode(200)
  @Requires({ public: true })
  @ApiOperation({ summary: 'Is the process alive?' })
  @ApiOkResponse({ type: HealthView })
  live(): HealthView {
    return { status: 'live' };
  }

  @Get('ready')
  @HttpCode(200)
  @Requires({ public: true })
  @ApiOperation({ summary: 'Is the database connected and migrated?' })
  @ApiOkResponse({ type: HealthView })
  async ready(): Promise<HealthView> {
    if (this.readiness.isLeaving) throw new PlatformError('Unavailable', 'This instance is stopping.');
    const [row] = await this.answer();
    if (!row?.migrated)
      throw new PlatformError('Unavailable', 'The database is not migrated: run npm run migrate.');
    return { status: 'ready' };
  }

  /** In time for whoever asks: a database that has gone silent refuses nothing. */
  private answer(): Promise<{ migrated: boolean }[]> {
    return within(ANSWER_WITHIN_MS, this.source.query(MIGRATED), () => {
      throw new PlatformError('Unavailable', 'The database does not answer.');
    });
  }
}
