import { Body, Controller, Delete, Get, Param, Post, Query } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import { CallerMembership, Calling } from '../../http/call.decorator.js';
import { PageQuery } from '../../http/page.query.js';
import { Refuses, Requires } from '../../http/requires.decorator.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import type { Call } from '../../kernel/call.js';
import type { Membership } from '../../kernel/principal.js';
import { DoneView } from '../done.view.js';
import { CreateInviteBody } from './invite.dto.js';
import { CreatedInviteView, InviteListView } from './invite.view.js';
import { Invites } from './invites.service.js';

const MANAGE = { org: 'orgs:invites:manage' } as const;

@ApiTags('Invitations')
@ApiParam({ name: 'orgSlug', example: 'default' })
@AdmittedWrites()
@Controller('v2/orgs/:orgSlug/invites')
export class InvitesController {
  constructor(private readonly invites: Invites) {}

  @Get()
  @Requires(MANAGE)
  @ApiOperation({ summary: 'List the invitations of the organization, newest first' })
  @ApiOkResponse({ type: InviteListView })
  listOrgInvites(@CallerMembership() membership: Membership, @Query() page: PageQuery) {
    return this.invites.list(membership, page);
  }

  @Post()
  @Requires(MANAGE)
  @Refuses(409, 'This person is invited already, or is a member.')
  @ApiOperation({
    summary: 'Create an invitation, for one address or for anybody with the code (shown only once)',
  })
  @ApiCreatedResponse({ type: CreatedInviteView })
  createOrgInvite(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Body() body: CreateInviteBody,
  ) {
    return this.invites.create(call, membership, body);
  }

  @Delete(':code')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Revoke an invitation, by its code or its id' })
  @ApiParam({ name: 'code', description: 'The code, or the id that the list shows.' })
  @ApiOkResponse({ type: DoneView })
  revokeOrgInvite(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('code') code: string,
  ) {
    return this.invites.revoke(call, membership, code);
  }
}
