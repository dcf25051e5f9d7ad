import { Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { DoneView, PageQuery } from '../../../platform/http/list-page.js';
import { CallerMembership, Calling } from '../../../platform/http/platform-request.js';
import { Refuses, Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import { CreateRoleBody, RoleListView, Roles, RoleView, UpdateRoleBody } from './roles.service.js';

const SEE = { org: 'member', seesPeople: true } as const;
const MANAGE = { org: 'orgs:roles:manage', seesPeople: true } as const;

@ApiTags('Roles')
@ApiParam({ name: 'orgSlug', example: 'default' })
@AdmittedWrites()
@Controller('v2/orgs/:orgSlug/roles')
export class RolesController {
  constructor(private readonly roles: Roles) {}

  @Get()
  @Requires(SEE)
  @ApiOperation({ summary: 'List the roles of the organization, the built-in ones first' })
  @ApiOkResponse({ type: RoleListView })
  listOrgRoles(@CallerMembership() membership: Membership, @Query() page: PageQuery) {
    return this.roles.list(membership, page);
  }

  @Post()
  @Requires(MANAGE)
  @Refuses(409, 'The slug is taken.')
  @ApiOperation({ summary: 'Create a role' })
  @ApiCreatedResponse({ type: RoleView })
  createOrgRole(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Body() body: CreateRoleBody,
  ) {
    return this.roles.create(call, membership, body);
  }

  @Patch(':slug')
  @Requires(MANAGE)
  @Refuses(409, 'The role is built in.')
  @ApiOperation({ summary: 'Update a role' })
  @ApiOkResponse({ type: RoleView })
  updateOrgRole(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('slug') slug: string,
    @Body() body: UpdateRoleBody,
  ) {
    return this.roles.update(call, membership, slug, body);
  }

  @Delete(':slug')
  @Requires(MANAGE)
  @Refuses(
    409,
    'The role is built in, or it is in use: by a member, a join rule, a default or an identity provider.',
  )
  @ApiOperation({ summary: 'Delete a role that is not in use' })
  @ApiOkResponse({ type: DoneView })
  deleteOrgRole(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('slug') slug: string,
  ) {
    return this.roles.delete(call, membership, slug);
  }
}
