import { Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { PageQuery } from '../../../platform/http/list-page.js';
import { CallerMembership, Calling } from '../../../platform/http/platform-request.js';
import { type Language, RequestLanguage } from '../../../platform/http/request-language.js';
import { Refuses, Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import {
  AddedMembersView,
  AddMembersBody,
  MemberListView,
  MemberView,
  RemovedMemberView,
  UpdateMemberBody,
} from './member.dto.js';
import { Members } from './members.service.js';

const SEE = { org: 'member', seesPeople: true } as const;
const MANAGE = { org: 'orgs:members:manage', seesPeople: true } as const;

@ApiTags('Members')
@ApiParam({ name: 'orgSlug', example: 'default' })
@AdmittedWrites()
@Controller('v2/orgs/:orgSlug/members')
export class MembersController {
  constructor(private readonly members: Members) {}

  @Get()
  @Requires(SEE)
  @ApiOperation({ summary: 'List the members of the organization' })
  @ApiOkResponse({ type: MemberListView })
  listOrgMembers(@CallerMembership() membership: Membership, @Query() page: PageQuery) {
    return this.members.list(membership, page);
  }

  @Post()
  @Requires(MANAGE)
  @Refuses(409, 'One of the people is already a member.')
  @ApiOperation({ summary: 'Invite people by e-mail address or id; they become members when they accept' })
  @ApiCreatedResponse({ type: AddedMembersView })
  addOrgMembers(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Body() body: AddMembersBody,
    @RequestLanguage() language: Language,
  ) {
    return this.members.add(call, membership, body, language);
  }

  @Patch(':userId')
  @Requires(MANAGE)
  @Refuses(409, 'The organization would have no owner.')
  @ApiOperation({ summary: 'Update the role or the groups of a member' })
  @ApiOkResponse({ type: MemberView })
  updateOrgMember(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('userId') userId: string,
    @Body() body: UpdateMemberBody,
  ) {
    return this.members.update(call, membership, userId, body);
  }

  @Delete(':userId')
  @Requires({ org: 'member' })
  @Refuses(409, 'The organization would have no owner.')
  @ApiOperation({ summary: 'Remove a member, or leave (the last owner cannot)' })
  @ApiOkResponse({ type: RemovedMemberView })
  removeOrgMember(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('userId') userId: string,
  ) {
    return this.members.remove(call, membership, userId);
  }
}
