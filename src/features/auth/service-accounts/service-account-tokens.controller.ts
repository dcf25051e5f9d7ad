import { Controller, Param, Post, Req } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiOperation,
  ApiParam,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { Limited } from '../../../platform/http/rate-limit/limited.decorator.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Body } from '../../../platform/http/validated.decorators.js';
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
  @Limited('service-account-tokens')
  @Requires({ public: true })
  @ApiOperation({ summary: 'Get a JWT for a service account with its secret' })
  @ApiCreatedResponse({ type: ServiceAccountTokenView })
  @ApiUnauthorizedResponse({ description: 'The service account is unknown, or the secret is wrong.' })
  @ApiTooManyRequestsResponse({
    description:
      'Too many tokens or wrong secrets from this address. A token is valid for an hour by default: keep it.',
  })
  mintServiceAccountToken(
    @Req() { correlationId, ip }: PlatformRequest,
    @Param('orgSlug') orgSlug: string,
    @Param('slug') slug: string,
    @Body() body: MintServiceAccountTokenBody,
  ) {
    return this.tokens.mint({ via: 'rest', correlationId, ip }, orgSlug, slug, body);
  }
}
