import {
  type CanActivate,
  Controller,
  type ExecutionContext,
  HttpCode,
  Injectable,
  Post,
  Req,
  UseGuards,
} from '@nestjs/common';
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
import type { Response } from 'express';
import type { Principal } from '../../../base/kernel/principal.js';
import { FormBody } from '../../../platform/http/body/body.decorators.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { Limited } from '../../../platform/http/rate-limit/limited.decorator.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { authenticate } from '../strategies/token.strategies.js';
import { TokenExchangeStrategy } from '../strategies/token-exchange.strategy.js';
import { ExchangedTokens, ExchangedTokenView, ExchangeTokenBody } from './exchanged-tokens.service.js';

/** Proves the id_token in the body. No answer may be cached, whether it is a token or an error (RFC 6749, 5.1). */
@Injectable()
class TokenExchangeGuard implements CanActivate {
  constructor(private readonly strategy: TokenExchangeStrategy) {}

  async canActivate(context: ExecutionContext): Promise<boolean> {
    context.switchToHttp().getResponse<Response>().setHeader('Cache-Control', 'no-store');
    const request = context.switchToHttp().getRequest<PlatformRequest>();
    request.principal = await authenticate(this.strategy, request);
    return true;
  }
}

@ApiTags('Authentication')
@Controller('v2/login/token-exchange')
export class TokenExchangeController {
  constructor(private readonly tokens: ExchangedTokens) {}

  @Post()
  @HttpCode(200)
  @FormBody()
  @Limited('token-exchange')
  @Requires({ public: true })
  @UseGuards(TokenExchangeGuard)
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
  exchangeToken(@Req() { principal }: PlatformRequest): Promise<ExchangedTokenView> {
    return this.tokens.mintFor(principal as Principal);
  }
}
