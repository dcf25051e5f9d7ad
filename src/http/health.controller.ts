import { Controller, Get, HttpCode } from '@nestjs/common';
import { ApiOperation, ApiTags } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import type { DataSource } from 'typeorm';
import { PlatformError } from '../kernel/errors.js';
import { Requires } from './requires.decorator.js';

@ApiTags('Health')
@Controller('health')
export class HealthController {
  constructor(@InjectDataSource() private readonly source: DataSource) {}

  @Get('live')
  @HttpCode(200)
  @Requires({ public: true })
  @ApiOperation({ summary: 'Is the process alive?' })
  live(): { status: string } {
    return { status: 'live' };
  }

  @Get('ready')
  @HttpCode(200)
  @Requires({ public: true })
  @ApiOperation({ summary: 'Is the database connected and migrated?' })
  async ready(): Promise<{ status: string }> {
    const [row] = await this.source.query(`SELECT to_regclass('collections') IS NOT NULL AS migrated`);
    if (!row.migrated)
      throw new PlatformError('Unavailable', 'The database is not migrated: run npm run migrate.');
    return { status: 'ready' };
  }
}
