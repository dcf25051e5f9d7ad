import { Body, Controller, Get, Put } from '@nestjs/common';
import {
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { Calling } from '../../http/platform-request.js';
import { Requires } from '../../http/requires.decorator.js';
import type { Call } from '../../kernel/call.js';
import { ActiveOrgView, MeView, SwitchOrgBody } from './me.dto.js';
import { Me } from './me.service.js';

@ApiTags('Authentication')
@ApiUnauthorizedResponse({ description: 'The request has no valid credential.' })
@Controller('v2')
export class MeController {
  constructor(private readonly me: Me) {}

  @Get('me')
  @Requires({ caller: 'any' })
  @ApiOperation({ summary: 'Read who you are and what you may do' })
  @ApiOkResponse({ type: MeView })
  getMe(@Calling() call: Call): Promise<MeView> {
    return this.me.show(call);
  }

  @Put('user/active-org')
  @Requires({ caller: 'session' })
  @ApiOperation({ summary: 'Switch the active organization of your session' })
  @ApiOkResponse({ type: ActiveOrgView })
  @ApiForbiddenResponse({
    description: 'The caller is not a member of the organization, or did not use a session JWT.',
  })
  switchOrg(@Calling() call: Call, @Body() body: SwitchOrgBody): Promise<ActiveOrgView> {
    return this.me.switchOrg(call, body.orgSlug);
  }
}
