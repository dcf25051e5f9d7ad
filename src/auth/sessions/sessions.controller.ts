import { Controller, Delete, Get, HttpCode, Param, Post, Query, Res } from '@nestjs/common';
import {
  ApiForbiddenResponse,
  ApiNoContentResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { Settings } from '../../config/settings.js';
import { Calling } from '../../http/call.decorator.js';
import { PageQuery } from '../../http/page.query.js';
import { Requires } from '../../http/requires.decorator.js';
import type { Call } from '../../kernel/call.js';
import { clearAccessTokenCookie } from '../access-token-cookie.js';
import { SessionListView, sessionView } from './session.view.js';
import { Sessions } from './sessions.service.js';

@ApiTags('Authentication')
@ApiUnauthorizedResponse({ description: 'No valid credential.' })
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
  @ApiOperation({ summary: 'Sign out: end the session of this JWT and clear the cookie' })
  @ApiNoContentResponse({ description: 'The session has ended.' })
  async logout(@Calling() call: Call, @Res({ passthrough: true }) response: Response): Promise<void> {
    await this.sessions.revoke(call, call.principal.sessionId as string);
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
  @ApiNotFoundResponse({ description: 'The caller has no such session.' })
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
