import { Controller, Delete, Get, HttpCode, Param, Post, Res, UseFilters } from '@nestjs/common';
import {
  ApiForbiddenResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { Response } from 'express';
import type { Call } from '../../../base/kernel/call.js';
import { Settings } from '../../../platform/config/settings.js';
import { PageQuery } from '../../../platform/http/list-page.js';
import { Calling } from '../../../platform/http/platform-request.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Query } from '../../../platform/http/validated.decorators.js';
import { clearAccessTokenCookie } from '../sent-credential.js';
import type { Session } from './session.entity.js';
import { Sessions } from './sessions.service.js';
import { SignOutFilter } from './sign-out.filter.js';

export class SessionView {
  @ApiProperty({ format: 'uuid' })
  id: string;

  @ApiProperty({ description: 'true for the session that made this request.' })
  current: boolean;

  @ApiProperty({
    description: 'Id of the application that opened the session; `platform` is this service itself.',
  })
  clientId: string;

  @ApiProperty({ type: String, nullable: true, example: '203.0.113.7' })
  ip: string | null;

  @ApiProperty({ type: String, nullable: true, example: 'Mozilla/5.0 (X11; Linux x86_64)' })
  userAgent: string | null;

  @ApiProperty({ format: 'date-time' })
  createdAt: string;

  @ApiProperty({ format: 'date-time', description: 'When it was last used, to the minute.' })
  lastUsedAt: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;
}

export class SessionListView {
  @ApiProperty({ type: [SessionView] })
  results: SessionView[];

  @ApiProperty({ example: 1 })
  total: number;
}

function sessionView(session: Session, currentId: string | undefined): SessionView {
  return {
    id: session.id,
    current: session.id === currentId,
    clientId: session.clientId,
    ip: session.ip,
    userAgent: session.userAgent,
    createdAt: session.createdAt.toISOString(),
    lastUsedAt: session.lastUsedAt.toISOString(),
    expiresAt: session.expiresAt.toISOString(),
  };
}

@ApiTags('Authentication')
@ApiUnauthorizedResponse({ description: 'The request has no valid credential.' })
@ApiForbiddenResponse({ description: 'This kind of credential may not do this.' })
@Controller('v2')
export class SessionsController {
  constructor(
    private readonly sessions: Sessions,
    private readonly settings: Settings,
  ) {}

  @Post('logout')
  @HttpCode(204)
  @Requires({ caller: 'session' })
  @UseFilters(SignOutFilter)
  @ApiOperation({ summary: 'Sign out: end the session of this JWT and clear the cookie' })
  @ApiNoContentResponse({
    description: 'The session has ended. A cookie whose session had ended before is cleared too.',
  })
  async logout(@Calling() call: Call, @Res({ passthrough: true }) response: Response): Promise<void> {
    await this.sessions.close(call, call.principal.sessionId as string);
    clearAccessTokenCookie(response, this.settings);
  }

  @Get('user/sessions')
  @Requires({ caller: 'person' })
  @ApiOperation({ summary: 'List your sessions, newest first' })
  @ApiOkResponse({ type: SessionListView })
  async listSessions(@Calling() call: Call, @Query() query: PageQuery): Promise<SessionListView> {
    const [sessions, total] = await this.sessions.list(call.principal.id, query);
    return { results: sessions.map(session => sessionView(session, call.principal.sessionId)), total };
  }

  @Delete('user/sessions/:id')
  @HttpCode(204)
  @Requires({ caller: 'person' })
  @ApiOperation({ summary: 'End one of your sessions' })
  @ApiParam({ name: 'id', format: 'uuid' })
  @ApiNoContentResponse({ description: 'The session has ended.' })
  @ApiNotFoundResponse({ description: 'The caller has no session with this id.' })
  async revokeSession(@Calling() call: Call, @Param('id') id: string): Promise<void> {
    await this.sessions.revoke(call, id);
  }

  @Delete('user/sessions')
  @HttpCode(204)
  @Requires({ caller: 'person' })
  @ApiOperation({ summary: 'End all of your sessions except the one that makes the call' })
  @ApiNoContentResponse({ description: 'The other sessions have ended.' })
  async revokeOtherSessions(@Calling() call: Call): Promise<void> {
    await this.sessions.revokeOthers(call);
  }
}
