import { Body, Controller, Post } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Calling } from '../../http/call.decorator.js';
import { Requires } from '../../http/requires.decorator.js';
import type { Call } from '../../kernel/call.js';
import { JoinOrgBody } from './invite.dto.js';
import { JoinedOrgView } from './invite.view.js';
import { Joining } from './joining.service.js';

@ApiTags('Invitations')
@Controller('v2/orgs/join')
export class JoiningController {
  constructor(private readonly joining: Joining) {}

  @Post()
  @Requires({ caller: 'person' })
  @ApiOperation({ summary: 'Join an organization with the code of an invitation' })
  @ApiCreatedResponse({ type: JoinedOrgView })
  @ApiNotFoundResponse({
    description: 'The code is unknown, revoked, used up, expired, or for another person.',
  })
  @ApiConflictResponse({ description: 'The caller is a member already.' })
  joinOrg(@Calling() call: Call, @Body() { code }: JoinOrgBody) {
    return this.joining.join(call, code);
  }
}
