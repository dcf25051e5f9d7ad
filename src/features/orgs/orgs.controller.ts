import { Controller, Delete, Get, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../base/kernel/call.js';
import type { Membership } from '../../base/kernel/principal.js';
import { DoneView, PageQuery } from '../../platform/http/list-page.js';
import { CallerMembership, Calling } from '../../platform/http/platform-request.js';
import { Limited } from '../../platform/http/rate-limit/limited.decorator.js';
import { Refuses, Requires } from '../../platform/http/requires.decorator.js';
import { Body, Query } from '../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../identity/admitted-writes.js';
import { CreateOrgBody, OrgListView, OrgView, UpdateOrgBody } from './org.dto.js';
import { Orgs } from './orgs.service.js';

@ApiTags('Organizations')
@AdmittedWrites()
@Controller('v2/orgs')
export class OrgsController {
  constructor(private readonly orgs: Orgs) {}

  @Get()
  @Requires({ caller: 'person' })
  @ApiOperation({ summary: 'List the organizations you belong to' })
  @ApiOkResponse({ type: OrgListView })
  listOrgs(@Calling() call: Call, @Query() page: PageQuery) {
    return this.orgs.list(call.principal, page);
  }

  @Post()
  @Limited('new-orgs')
  @Requires({ caller: 'person' })
  @Refuses(
    409,
    'The slug is in use, or was used before, or the caller owns the maximum number of organizations.',
  )
  @ApiOperation({ summary: 'Create an organization and become its owner' })
  @ApiCreatedResponse({ type: OrgView })
  createOrg(@Calling() call: Call, @Body() body: CreateOrgBody) {
    return this.orgs.createOwn(call, body);
  }

  @Get(':orgSlug')
  @Requires({ org: 'member' })
  @ApiOperation({ summary: 'Read an organization' })
  @ApiParam({ name: 'orgSlug', example: 'default' })
  @ApiOkResponse({ type: OrgView })
  getOrg(@CallerMembership() membership: Membership) {
    return this.orgs.get(membership);
  }

  @Patch(':orgSlug')
  @Requires({ org: 'orgs:manage' })
  @ApiOperation({ summary: 'Update an organization' })
  @ApiParam({ name: 'orgSlug', example: 'default' })
  @ApiOkResponse({ type: OrgView })
  updateOrg(@Calling() call: Call, @CallerMembership() membership: Membership, @Body() body: UpdateOrgBody) {
    return this.orgs.update(call, membership, body);
  }

  @Delete(':orgSlug')
  @Requires({ org: '*' })
  @ApiOperation({ summary: 'Delete an organization with its collections, records and keys' })
  @ApiParam({ name: 'orgSlug', example: 'default' })
  @ApiOkResponse({ type: DoneView })
  deleteOrg(@Calling() call: Call, @CallerMembership() membership: Membership) {
    return this.orgs.delete(call, membership);
  }
}
