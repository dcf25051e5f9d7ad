import { Controller, Get } from '@nestjs/common';
import { ApiOkResponse, ApiOperation, ApiProperty, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import { PageQuery } from '../../../platform/http/list-page.js';
import { Calling } from '../../../platform/http/platform-request.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Query } from '../../../platform/http/validated.decorators.js';
import { Applications, type ConnectedApplication } from './applications.service.js';

export class ApplicationView {
  @ApiProperty({ format: 'uuid', description: 'The session of the access. Ending it ends the access.' })
  sessionId: string;

  @ApiProperty({ description: 'Id of the application.', example: 'typed-collections-cli' })
  clientId: string;

  @ApiProperty({
    description: 'The name that the application gives itself; else its id.',
    example: 'Typed Collections CLI',
  })
  name: string;

  @ApiProperty({ description: 'true for an application of this platform.' })
  own: boolean;

  @ApiProperty({ type: [String], example: ['platform', 'offline_access'] })
  scopes: readonly string[];

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time', description: 'When it was last used, to the minute.' })
  lastUsedAt: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;

  static of(this: void, { session, name, own, scopes }: ConnectedApplication): ApplicationView {
    return {
      sessionId: session.id,
      clientId: session.clientId,
      name,
      own,
      scopes,
      createdAt: session.createdAt.toISOString(),
      lastUsedAt: session.lastUsedAt.toISOString(),
      expiresAt: session.expiresAt.toISOString(),
    };
  }
}

export class ApplicationListView {
  @ApiProperty({ type: [ApplicationView] })
  results: ApplicationView[];

  @ApiProperty({ example: 1 })
  total: number;
}

@ApiTags('Authentication')
@Controller('v2/user/applications')
export class ApplicationsController {
  constructor(private readonly applications: Applications) {}

  @Get()
  @Requires({ caller: 'person' })
  @ApiOperation({ summary: 'List the applications that you have given access, newest first' })
  @ApiOkResponse({ type: ApplicationListView })
  async listApplications(@Calling() call: Call, @Query() page: PageQuery): Promise<ApplicationListView> {
    const [applications, total] = await this.applications.list(call, page);
    return { results: applications.map(ApplicationView.of), total };
  }
}
