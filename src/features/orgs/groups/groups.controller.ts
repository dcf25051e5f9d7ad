import { Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { DoneView, PageQuery } from '../../../platform/http/list-page.js';
import { CallerMembership, Calling } from '../../../platform/http/platform-request.js';
import { Refuses, Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import {
  AddGroupMembersBody,
  CreateGroupBody,
  GroupListView,
  GroupMemberListView,
  GroupView,
  UpdateGroupBody,
} from './group-rows.js';
import { Groups } from './groups.service.js';

const SEE = { org: 'member', seesPeople: true } as const;
const MANAGE = { org: 'orgs:groups:manage', seesPeople: true } as const;

@ApiTags('Groups')
@ApiParam({ name: 'orgSlug', example: 'default' })
@AdmittedWrites()
@Controller('v2/orgs/:orgSlug/groups')
export class GroupsController {
  constructor(private readonly groups: Groups) {}

  @Get()
  @Requires(SEE)
  @ApiOperation({ summary: 'List the groups of the organization' })
  @ApiOkResponse({ type: GroupListView })
  listOrgGroups(@CallerMembership() membership: Membership, @Query() page: PageQuery) {
    return this.groups.list(membership, page);
  }

  @Post()
  @Requires(MANAGE)
  @Refuses(409, 'The slug is taken.')
  @ApiOperation({ summary: 'Create a group' })
  @ApiCreatedResponse({ type: GroupView })
  createOrgGroup(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Body() body: CreateGroupBody,
  ) {
    return this.groups.create(call, membership, body);
  }

  @Get(':slug')
  @Requires(SEE)
  @ApiOperation({ summary: 'Read a group' })
  @ApiOkResponse({ type: GroupView })
  getOrgGroup(@CallerMembership() membership: Membership, @Param('slug') slug: string) {
    return this.groups.get(membership, slug);
  }

  @Patch(':slug')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Rename a group' })
  @ApiOkResponse({ type: GroupView })
  updateOrgGroup(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('slug') slug: string,
    @Body() body: UpdateGroupBody,
  ) {
    return this.groups.update(call, membership, slug, body);
  }

  @Delete(':slug')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Delete a group and its access bindings' })
  @ApiOkResponse({ type: DoneView })
  deleteOrgGroup(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('slug') slug: string,
  ) {
    return this.groups.delete(call, membership, slug);
  }

  @Get(':slug/members')
  @Requires(SEE)
  @ApiOperation({ summary: 'List the members of a group' })
  @ApiOkResponse({ type: GroupMemberListView })
  listOrgGroupMembers(
    @CallerMembership() membership: Membership,
    @Param('slug') slug: string,
    @Query() page: PageQuery,
  ) {
    return this.groups.listMembers(membership, slug, page);
  }

  @Post(':slug/members')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Add members of the organization to a group' })
  @ApiCreatedResponse({ type: GroupMemberListView })
  addOrgGroupMembers(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('slug') slug: string,
    @Body() body: AddGroupMembersBody,
  ) {
    return this.groups.addMembers(call, membership, slug, body);
  }

  @Delete(':slug/members')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Remove all members from a group' })
  @ApiOkResponse({ type: DoneView })
  emptyOrgGroup(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('slug') slug: string,
  ) {
    return this.groups.removeMembers(call, membership, slug);
  }

  @Delete(':slug/members/:userId')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Remove a member from a group' })
  @ApiOkResponse({ type: DoneView })
  removeOrgGroupMember(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('slug') slug: string,
    @Param('userId') userId: string,
  ) {
    return this.groups.removeMembers(call, membership, slug, userId);
  }
}
