import { Controller, Delete, Get, Param, Post, Put } from '@nestjs/common';
import {
  ApiConflictResponse,
  ApiCreatedResponse,
  ApiOkResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
} from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { DoneView, PageQuery } from '../../../platform/http/list-page.js';
import { CallerMembership, Calling } from '../../../platform/http/platform-request.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import {
  CreateSsoProviderBody,
  ReplaceSsoProviderBody,
  SsoProviderListView,
  SsoProviderView,
} from './sso-provider.dto.js';
import { SsoProviders } from './sso-providers.service.js';

const MANAGE = { org: 'orgs:sso:manage' } as const;

@AdmittedWrites()
@ApiTags('Sign-in providers')
@ApiParam({ name: 'orgSlug', example: 'default' })
@Controller('v2/orgs/:orgSlug/auth/sso')
export class SsoController {
  constructor(private readonly providers: SsoProviders) {}

  @Get()
  @Requires(MANAGE)
  @ApiOperation({ summary: 'List the identity providers of the organization' })
  @ApiOkResponse({ type: SsoProviderListView })
  listSsoProviders(@CallerMembership() membership: Membership, @Query() page: PageQuery) {
    return this.providers.list(membership, page);
  }

  @Post()
  @Requires(MANAGE)
  @ApiOperation({
    summary: 'Create an identity provider that people of the organization sign in with',
  })
  @ApiCreatedResponse({ type: SsoProviderView })
  @ApiConflictResponse({
    description:
      'The slug is in use or was used before, or the organization has reached its maximum number of identity providers.',
  })
  createSsoProvider(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Body() body: CreateSsoProviderBody,
  ) {
    return this.providers.create(call, membership, body);
  }

  @Get(':slug')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Read an identity provider, without its secret' })
  @ApiOkResponse({ type: SsoProviderView })
  getSsoProvider(@CallerMembership() membership: Membership, @Param('slug') slug: string) {
    return this.providers.get(membership, slug);
  }

  @Put(':slug')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Replace an identity provider (if the secret is absent, the old one is kept)' })
  @ApiOkResponse({ type: SsoProviderView })
  replaceSsoProvider(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('slug') slug: string,
    @Body() body: ReplaceSsoProviderBody,
  ) {
    return this.providers.replace(call, membership, slug, body);
  }

  @Delete(':slug')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Delete an identity provider (its slug cannot be used again)' })
  @ApiOkResponse({ type: DoneView })
  deleteSsoProvider(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('slug') slug: string,
  ) {
    return this.providers.delete(call, membership, slug);
  }
}
