import { Controller, Delete, Get, Headers, HttpCode, Ip, Param, Patch, Post } from '@nestjs/common';
import { ApiCreatedResponse, ApiOkResponse, ApiOperation, ApiParam, ApiTags } from '@nestjs/swagger';
import type { Call } from '../../../base/kernel/call.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { DoneView, PageQuery } from '../../../platform/http/list-page.js';
import { CallerMembership, Calling } from '../../../platform/http/platform-request.js';
import { Refuses, Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import {
  MintedOrgApiKeyView,
  MintOrgApiKeyBody,
  OrgApiKeyListView,
  OrgApiKeyView,
  RotateOrgApiKeyBody,
  UpdateOrgApiKeyBody,
  ValidateOrgApiKeyBody,
} from './api-key.dto.js';
import { ManagedApiKeys } from './managed-api-keys.service.js';

const MANAGE = { org: 'orgs:apikeys:manage' } as const;

@ApiTags('Organization API Keys')
@ApiParam({ name: 'orgSlug', example: 'default' })
@AdmittedWrites()
@Controller('v2/orgs/:orgSlug/api-keys')
export class OrgApiKeysController {
  constructor(private readonly keys: ManagedApiKeys) {}

  @Get()
  @Requires(MANAGE)
  @ApiOperation({ summary: 'List the API keys of the organization' })
  @ApiOkResponse({ type: OrgApiKeyListView })
  listOrgApiKeys(@CallerMembership() membership: Membership, @Query() page: PageQuery) {
    return this.keys.list(membership, page);
  }

  @Post()
  @Requires(MANAGE)
  @Refuses(409, 'The slug is taken.')
  @ApiOperation({ summary: 'Mint an API key of the organization (it is shown only once)' })
  @ApiCreatedResponse({ type: MintedOrgApiKeyView })
  mintOrgApiKey(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Body() body: MintOrgApiKeyBody,
  ) {
    return this.keys.mint(call, membership, body);
  }

  @Post('validate')
  @HttpCode(200)
  @Requires({ public: true })
  @Refuses(401, 'The key is unknown, revoked, disabled or expired, or is for another organization.')
  @ApiOperation({ summary: 'Validate an API key: read its metadata, or get 401' })
  @ApiOkResponse({ type: OrgApiKeyView })
  validateOrgApiKey(
    @Param('orgSlug') orgSlug: string,
    @Body() body: ValidateOrgApiKeyBody,
    @Headers('x-platform-api-key') header: string | undefined,
    @Ip() ip: string | undefined,
  ) {
    return this.keys.validate(orgSlug, body.apiKey ?? header, ip);
  }

  @Get(':keyId')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Read an API key of the organization' })
  @ApiOkResponse({ type: OrgApiKeyView })
  getOrgApiKey(@CallerMembership() membership: Membership, @Param('keyId') keyId: string) {
    return this.keys.get(membership, keyId);
  }

  @Patch(':keyId')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Update an API key of the organization' })
  @ApiOkResponse({ type: OrgApiKeyView })
  updateOrgApiKey(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('keyId') keyId: string,
    @Body() body: UpdateOrgApiKeyBody,
  ) {
    return this.keys.update(call, membership, keyId, body);
  }

  @Delete(':keyId')
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Revoke an API key of the organization' })
  @ApiOkResponse({ type: DoneView })
  revokeOrgApiKey(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('keyId') keyId: string,
  ) {
    return this.keys.revoke(call, membership, keyId);
  }

  @Post(':keyId/rotate')
  @HttpCode(200)
  @Requires(MANAGE)
  @ApiOperation({ summary: 'Rotate an API key of the organization (the new one is shown only once)' })
  @ApiOkResponse({ type: MintedOrgApiKeyView })
  rotateOrgApiKey(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('keyId') keyId: string,
    @Body() body: RotateOrgApiKeyBody,
  ) {
    return this.keys.rotate(call, membership, keyId, body);
  }
}
