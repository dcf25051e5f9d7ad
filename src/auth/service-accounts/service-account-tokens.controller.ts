import { Controller, Param, Post, Req } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { PlatformRequest } from '../../http/platform-request.js';
import { Requires } from '../../http/requires.decorator.js';
import { Body } from '../../http/validated.decorators.js';
import {
  MintServiceAccountTokenBody,
  ServiceAccountTokens,
  ServiceAccountTokenView,
} from './service-account-tokens.service.js';

@ApiTags('Service accounts')
@ApiParam({ name: 'orgSlug', example: 'default' })
@ApiParam({ name: 'slug', example: 'nightly-import' })
@Controller('v2/orgs/:orgSlug/service-accounts/:slug/token')
export class ServiceAccountTokensController {
  constructor(private readonly tokens: ServiceAccountTokens) {}

  @Post()
  @Requires({ public: true })
  @ApiOperation({ summary: 'Get a JWT for a service account with its secret' })
  @ApiCreatedResponse({ type: ServiceAccountTokenView })
  @ApiUnauthorizedResponse({ description: 'The service account is unknown, or the secret is wrong.' })
  @ApiTooManyRequestsResponse({ description: 'Too many wrong secrets from this address.' })
  mintServiceAccountToken(
    @Req() { correlationId, ip }: PlatformRequest,
    @Param('orgSlug') orgSlug: string,
    @Param('slug') slug: string,
    @Body() body: MintServiceAccountTokenBody,
  ) {
    return this.tokens.mint({ via: 'rest', correlationId, ip }, orgSlug, slug, body);
  }
}
