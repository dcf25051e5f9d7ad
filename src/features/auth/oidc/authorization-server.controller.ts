import { Controller, Get, Header, Options, Post, Req, Res } from '@nestjs/common';
import { ApiExcludeController, ApiExcludeEndpoint, ApiResponse, ApiTags } from '@nestjs/swagger';
import type { Response } from 'express';
import { PlatformError } from '../../../base/kernel/errors.js';
import { Settings } from '../../../platform/config/settings.js';
import { OAuthBody } from '../../../platform/http/body/body.decorators.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { Limited } from '../../../platform/http/rate-limit/limited.decorator.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Body } from '../../../platform/http/validated.decorators.js';
import { AuthorizationServer } from './authorization-server.service.js';
import { Described } from './described-endpoints.js';
import { Interactions } from './interactions/interactions.service.js';
import { allowBrowsers } from './metadata/metadata.controller.js';

import { formOf, type ReadBody, tokenHandle } from './provider-requests.js';

/** The endpoints of the authorization server. The standards that they name define their requests and responses. */
@ApiTags('Authorization server')
@ApiResponse({ status: 429, description: 'Too many requests. Retry in a minute.' })
@Controller('oidc')
export class AuthorizationServerController {
  constructor(
    private readonly server: AuthorizationServer,
    private readonly settings: Settings,
  ) {}

  @Get('auth')
  @Limited('authorization')
  @Requires({ public: true })
  @Described('authorize')
  authorize(@Req() request: PlatformRequest, @Res() response: Response): Promise<void> {
    return this.server.answer(request, response);
  }

  @Get(['auth/:uid', 'session/end/success'])
  @Limited('authorization')
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  continueInBrowser(@Req() request: PlatformRequest, @Res() response: Response): Promise<void> {
    return this.server.answer(request, response);
  }

  @Post('device/auth')
  @OAuthBody()
  @Limited('authorization')
  @Requires({ public: true })
  @Described('authorizeDevice')
  authorizeDevice(
    @Req() request: PlatformRequest,
    @Res() response: Response,
    @Body() body: ReadBody,
  ): Promise<void> {
    return this.server.answer(request, response, body);
  }

  @Get(['device', 'device/:uid'])
  @Limited('authorization')
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  showDevicePage(@Req() request: PlatformRequest, @Res() response: Response): Promise<void> {
    return this.server.answer(request, response);
  }

  /** The limit counts every code that is entered, so that nobody finds the code of somebody else by trying. */
  @Post('device')
  @OAuthBody()
  @Limited('device-codes')
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  checkUserCode(
    @Req() request: PlatformRequest,
    @Res() response: Response,
    @Body() body: ReadBody,
  ): Promise<void> {
    return this.server.answer(request, response, body);
  }

  @Post('token')
  @OAuthBody()
  @Limited('authorization')
  @Requires({ public: true })
  @Described('issueTokens')
  issueTokens(
    @Req() request: PlatformRequest,
    @Res() response: Response,
    @Body() body: ReadBody,
  ): Promise<void> {
    return this.server.answer(request, response, body);
  }

  @Post('token/revocation')
  @OAuthBody()
  @Limited('authorization')
  @Requires({ public: true })
  @Described('revokeToken')
  revokeToken(
    @Req() request: PlatformRequest,
    @Res() response: Response,
    @Body() body: ReadBody,
  ): Promise<void> {
    return this.server.answer(request, response, aboutToken(body));
  }

  @Post('token/introspection')
  @OAuthBody()
  @Limited('authorization')
  @Requires({ public: true })
  @Described('introspectToken')
  introspectToken(
    @Req() request: PlatformRequest,
    @Res() response: Response,
    @Body() body: ReadBody,
  ): Promise<void> {
    return this.server.answer(request, response, aboutToken(body));
  }

  @Get('session/end')
  @Limited('authorization')
  @Requires({ public: true })
  @Described('endSession')
  endSession(@Req() request: PlatformRequest, @Res() response: Response): Promise<void> {
    return this.server.answer(request, response);
  }

  /** A form of another site sends no cookies. The redirect lets the browser send them. */
  @Post('session/end')
  @OAuthBody()
  @Limited('authorization')
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  endSessionByForm(@Res() response: Response, @Body() body: ReadBody): void {
    response.redirect(303, `/oidc/session/end?${formOf(body)}`);
  }

  @Post('session/end/confirm')
  @OAuthBody()
  @Limited('authorization')
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  confirmEndOfSession(
    @Req() request: PlatformRequest,
    @Res() response: Response,
    @Body() body: ReadBody,
  ): Promise<void> {
    return this.server.answer(request, response, body);
  }

  @Post('reg')
  @Header('Access-Control-Allow-Origin', '*')
  @Limited('client-registration')
  @Requires({ public: true })
  @Described('registerClient')
  registerClient(
    @Req() request: PlatformRequest,
    @Res() response: Response,
    @Body() body: ReadBody,
  ): Promise<void> {
    if (this.settings.OIDC_DYNAMIC_REGISTRATION === 'off') {
      throw new PlatformError(
        'NotFound',
        'Dynamic client registration is off. The operator can set OIDC_DYNAMIC_REGISTRATION=on, or add the client to ' +
          'OIDC_CLIENTS_FILE. With OIDC_CLIENT_METADATA_DOCUMENTS=on, a client_id may be the https URL of the client’s ' +
          `metadata; that setting is ${this.settings.OIDC_CLIENT_METADATA_DOCUMENTS}.`,
      );
    }
    return this.server.answer(request, response, body);
  }

  @Options(['token', 'device/auth', 'token/revocation', 'token/introspection', 'reg'])
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  preflightOfClient(@Res() response: Response): void {
    allowBrowsers(response, 'POST');
  }
}

/** Replaces an access token, which is a JWT, by its handle. */
function aboutToken(body: ReadBody): ReadBody {
  const { token } = body;
  return typeof token === 'string' && token.split('.').length === 3
    ? { ...body, token: tokenHandle(token) }
    : body;
}

/** The pages where a person signs in, and allows or denies the access of a client. */
@ApiExcludeController()
@Controller('oidc/interaction')
export class InteractionsController {
  constructor(private readonly interactions: Interactions) {}

  @Get(':uid')
  @Limited('authorization')
  @Requires({ public: true })
  showInteraction(@Req() request: PlatformRequest, @Res() response: Response): Promise<void> {
    return this.interactions.show(request, response);
  }

  @Post(':uid')
  @OAuthBody()
  @Limited('authorization')
  @Requires({ public: true })
  decideInteraction(
    @Req() request: PlatformRequest,
    @Res() response: Response,
    @Body() body: ReadBody,
  ): Promise<void> {
    return this.interactions.decide(request, response, body);
  }
}
