import { Controller, Header, HttpCode, Post, Req } from '@nestjs/common';
import {
  ApiBody,
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiServiceUnavailableResponse,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import { FormBody } from '../../../platform/http/body/body.decorators.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { Limited } from '../../../platform/http/rate-limit/limited.decorator.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { ExchangedTokenView, ExchangeTokenBody } from './exchanged-tokens.service.js';
import { TokenExchange } from './token-exchange.service.js';

@ApiTags('Authentication')
@Controller('v2/login/token-exchange')
export class TokenExchangeController {
  constructor(private readonly tokenExchange: TokenExchange) {}

  // No answer may be cached, whether it is a token or an error (RFC 6749, 5.1).
  @Post()
  @HttpCode(200)
  @Header('Cache-Control', 'no-store')
  @FormBody()
  @Limited('token-exchange')
  @Requires({ public: true })
  @ApiOperation({ summary: 'Exchange an id_token of an identity provider for a JWT of this platform' })
  @ApiBody({ type: ExchangeTokenBody })
  @ApiOkResponse({ type: ExchangedTokenView })
  @ApiUnauthorizedResponse({
    description:
      'The token was refused because of its signature, issuer, audience or age, or because it was used before.',
  })
  @ApiForbiddenResponse({
    description:
      '`TokenExchangeRefused`: there is no identity provider with this slug, or token exchange is off for it. ' +
      '`OrganizationRequired`: the login does not make the person a member of an organization.',
  })
  @ApiServiceUnavailableResponse({ description: 'The public keys of the identity provider cannot be read.' })
  @ApiTooManyRequestsResponse({ description: 'Too many requests. Retry in a minute.' })
  exchangeToken(@Req() request: PlatformRequest): Promise<ExchangedTokenView> {
    return this.tokenExchange.exchange(request);
  }
}
