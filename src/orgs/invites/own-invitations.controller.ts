import { Controller, Get, HttpCode, Param, Post, Query } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
} from '@nestjs/swagger';
import { Calling } from '../../http/call.decorator.js';
import { PageQuery } from '../../http/page.query.js';
import { Requires } from '../../http/requires.decorator.js';
import type { Call } from '../../kernel/call.js';
import { DoneView } from '../done.view.js';
import { JoinedOrgView, OwnInvitationListView } from './invite.view.js';
import { Joining } from './joining.service.js';
import { OwnInvitations } from './own-invitations.service.js';

const NOT_FOUND = { description: 'The invitation is unknown, for somebody else, revoked, used or expired.' };

@ApiTags('Organizations')
@Controller('v2/user/invitations')
export class OwnInvitationsController {
  constructor(
    private readonly invitations: OwnInvitations,
    private readonly joining: Joining,
  ) {}

  @Get()
  @Requires({ caller: 'person' })
  @ApiOperation({ summary: 'List the open invitations for you or for your verified e-mail address' })
  @ApiOkResponse({ type: OwnInvitationListView })
  listOwnInvitations(@Calling() call: Call, @Query() page: PageQuery) {
    return this.invitations.list(call, page);
  }

  @Post(':id/accept')
  @Requires({ caller: 'person' })
  @ApiOperation({ summary: 'Accept an invitation: join its organization' })
  @ApiCreatedResponse({ type: JoinedOrgView })
  @ApiNotFoundResponse(NOT_FOUND)
  @ApiConflictResponse({ description: 'The caller is a member already.' })
  acceptInvitation(@Calling() call: Call, @Param('id') id: string) {
    return this.joining.acceptOwn(call, id);
  }

  @Post(':id/decline')
  @HttpCode(200)
  @Requires({ caller: 'person' })
  @ApiOperation({ summary: 'Decline an invitation; it cannot be accepted any more' })
  @ApiOkResponse({ type: DoneView })
  @ApiNotFoundResponse(NOT_FOUND)
  declineInvitation(@Calling() call: Call, @Param('id') id: string) {
    return this.invitations.decline(call, id);
  }
}
