import { Controller, Delete, Get, HttpCode, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { DoneView, PageQuery } from '../../../platform/http/list-page.js';
import { CallerMembership, Calling } from '../../../platform/http/platform-request.js';
import { Refuses, Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import {
  CreateServiceAccountBody,
  MintedServiceAccountView,
  ServiceAccountListView,
  ServiceAccountView,
  UpdateServiceAccountBody,
} from './service-account.dto.js';
import { ServiceAccounts } from './service-accounts.service.js';

const MANAGE = { org: 'orgs:service-accounts:manage' } as const;

@ApiTags('Service accounts')
@ApiParam({ name: 'orgSlug', example: 'default' })
@AdmittedWrites()
@Controller('v2/orgs/:orgSlug/service-accounts')
export class ServiceAccountsController {
  constructor(private readonly accounts: ServiceAccounts) {}

  @Get()
  @Requires(MANAGE)
  @ApiOperation({ summary: 'List the service accounts of the organization' })
  @ApiOkResponse({ type: ServiceAccountListView })
  listServiceAccounts(@CallerMembership() membership: Membership, @Query() page: PageQuery) {
    return this.accounts.list(membership, page);
  }

  @Post()
  @Requires(MANAGE)
  @Refuses(409, 'The slug is taken.')
  @ApiOperation({ summary: 'Create a service account (its secret is shown only once)' })
  @ApiCreatedResponse({ type: MintedServiceAccountView })
  createServiceAccount(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Body() body: CreateServiceAccountBody,
  ) {
    return this.accounts.create(call, membership, body);
  }

  @Patch(':slug')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Update a service account; disabling it ends its sessions' })
  @ApiOkResponse({ type: ServiceAccountView })
  updateServiceAccount(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('slug') slug: string,
    @Body() body: UpdateServiceAccountBody,
  ) {
    return this.accounts.update(call, membership, slug, body);
  }

  @Delete(':slug')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Delete a service account and end its sessions' })
  @ApiOkResponse({ type: DoneView })
  deleteServiceAccount(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('slug') slug: string,
  ) {
    return this.accounts.delete(call, membership, slug);
  }

  @Post(':slug/rotate')
  @HttpCode(200)
  @Requires(MANAGE)
  @ApiOperation({
    summary: 'Rotate the secret of a service account and end its sessions (the new one is shown only once)',
  })
  @ApiOkResponse({ type: MintedServiceAccountView })
  rotateServiceAccount(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('slug') slug: string,
  ) {
    return this.accounts.rotate(call, membership, slug);
  }
}
