import { Controller, Get, HttpCode } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { PlatformError } from '../kernel/errors.js';
import { Requires } from './requires.decorator.js';

export class HealthView {
  @ApiProperty({ example: 'ready' }) status: string;
}

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(@InjectDataSource() private readonly source: DataSource) {}

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
    const [row] = await this.source.query(`SELECT to_regclass('collections') IS NOT NULL AS migrated`);
    if (!row.migrated)
      throw new PlatformError('Unavailable', 'The database is not migrated: run npm run migrate.');
    return { status: 'ready' };
  }
}
