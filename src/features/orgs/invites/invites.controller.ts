import { Controller, Delete, Get, HttpCode, Param, Post } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { DoneView, PageQuery } from '../../../platform/http/list-page.js';
import { CallerMembership, Calling } from '../../../platform/http/platform-request.js';
import { type Language, RequestLanguage } from '../../../platform/http/request-language.js';
import { Refuses, Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import {
  CreatedInviteView,
  CreateInviteBody,
  InviteListView,
  JoinedOrgView,
  JoinOrgBody,
  OwnInvitationListView,
} from './invite.dto.js';
import { Invites } from './invites.service.js';
import { Joining } from './joining.service.js';
import { OwnInvitations } from './own-invitations.service.js';

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
  @Refuses(409, 'The person is a member, or has an open invitation.')
  @ApiOperation({
    summary: 'Create an invitation for one e-mail address, or for anyone who has the code (shown only once)',
  })
  @ApiCreatedResponse({ type: CreatedInviteView })
  createOrgInvite(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Body() body: CreateInviteBody,
    @RequestLanguage() language: Language,
  ) {
    return this.invites.create(call, membership, body, language);
  }

  @Delete(':code')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Revoke an invitation, by its code or its id' })
  @ApiParam({ name: 'code', description: 'Code of the invitation, or its id from the list.' })
  @ApiOkResponse({ type: DoneView })
  revokeOrgInvite(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('code') code: string,
  ) {
    return this.invites.revoke(call, membership, code);
  }
}

@ApiTags('Invitations')
@Controller('v2/orgs/join')
export class JoiningController {
  constructor(private readonly joining: Joining) {}

  @Post()
  @Requires({ caller: 'person' })
  @ApiOperation({ summary: 'Join an organization with the code of an invitation' })
  @ApiCreatedResponse({ type: JoinedOrgView })
  @ApiNotFoundResponse({
    description: 'The code is unknown, revoked, used up or expired, or is for another person.',
  })
  @ApiConflictResponse({ description: 'The caller is a member already.' })
  joinOrg(@Calling() call: Call, @Body() { code }: JoinOrgBody) {
    return this.joining.join(call, code);
  }
}

const NOT_FOUND = {
  description: 'The invitation is unknown, revoked, used or expired, or is for another person.',
};

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
