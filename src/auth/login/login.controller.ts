import { Body, Controller, Get, Head, Post, Query, Req, Res } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBody,
  ApiCreatedResponse,
  ApiExcludeEndpoint,
  ApiForbiddenResponse,
  ApiFoundResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiQuery,
  ApiServiceUnavailableResponse,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { Settings } from '../../config/settings.js';
import type { PlatformRequest } from '../../http/platform-request.js';
import { Limited } from '../../http/rate-limit/limited.decorator.js';
import { Requires } from '../../http/requires.decorator.js';
import { PlatformError } from '../../kernel/errors.js';
import { Providers } from '../../orgs/sso/providers.service.js';
import { setAccessTokenCookie } from '../sent-credential.js';
import { AnonymousUsers } from './anonymous-users.service.js';
import {
  AnonymousLoginView,
  LogInAnonymouslyBody,
  LoginProvidersView,
  StartLoginQuery,
} from './login.dto.js';
import { ProviderLogins } from './provider-logins.service.js';

@ApiTags('Authentication')
@ApiTooManyRequestsResponse({ description: 'Too many requests; try again in a minute.' })
@Controller('v2/login')
export class LoginController {
  constructor(
    private readonly anonymousUsers: AnonymousUsers,
    private readonly providers: Providers,
    private readonly logins: ProviderLogins,
    private readonly settings: Settings,
  ) {}

  @Get('providers')
  @Requires({ public: true })
  @ApiOperation({ summary: 'List the ways to sign in' })
  @ApiOkResponse({ type: LoginProvidersView })
  async listLoginProviders(): Promise<LoginProvidersView> {
    return { anonymous: true, providers: await this.providers.listed() };
  }

  @Post('anonymous')
  @Limited('anonymous')
  @Requires({ public: true })
  @ApiOperation({ summary: 'Create an anonymous user and open its session' })
  @ApiBody({
    type: LogInAnonymouslyBody,
    required: false,
    examples: { hour: { summary: 'A session of one hour', value: { expiresAfter: 3600 } } },
  })
  @ApiCreatedResponse({ type: AnonymousLoginView })
  @ApiBadRequestResponse({ description: 'expiresAfter is out of range, or a field is unknown.' })
  @ApiForbiddenResponse({ description: 'The organization has not enabled anonymous login.' })
  @ApiNotFoundResponse({ description: 'There is no such organization.' })
  logInAnonymously(
    @Req() { correlationId, ip, headers }: PlatformRequest,
    @Body() body: LogInAnonymouslyBody,
  ): Promise<AnonymousLoginView> {
    const userAgent = headers['user-agent'];
    return this.anonymousUsers.logIn({ via: 'rest', correlationId, ip, userAgent }, body);
  }

  @Get()
  @Limited('login')
  @Requires({ public: true })
  @ApiOperation({ summary: 'Begin signing in: redirect the browser to an identity provider' })
  @ApiFoundResponse({ description: 'Location is the provider; a cookie binds the login to this browser.' })
  @ApiNotFoundResponse({ description: 'There is no such provider, or it is disabled.' })
  @ApiServiceUnavailableResponse({ description: 'The provider does not answer as it should.' })
  async startLogin(
    @Req() request: PlatformRequest,
    @Res() response: Response,
    @Query() query: StartLoginQuery,
  ): Promise<void> {
    keepNothing(response);
    response.redirect(302, await this.logins.begin(request, response, query));
  }

  /** Express would answer HEAD with the GET handler, and the HEAD request of a link preview would use up the code. */
  @Head('callback')
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  refuseLoginHead(@Res({ passthrough: true }) response: Response): never {
    response.setHeader('Allow', 'GET');
    throw new PlatformError('MethodNotAllowed', 'HEAD is not possible here; allowed: GET.');
  }

  @Get('callback')
  @Limited('login-callback')
  @Requires({ public: true })
  @ApiOperation({ summary: 'Complete signing in: identity providers redirect browsers here' })
  @ApiQuery({ name: 'code', type: String, description: 'From the provider, with whatever else it sends.' })
  @ApiQuery({ name: 'state', type: String })
  @ApiQuery({ name: 'iss', type: String, required: false, description: 'RFC 9207.' })
  @ApiFoundResponse({ description: 'The cookie is set; Location is the redirect the login was begun with.' })
  @ApiForbiddenResponse({
    description: 'The account is disabled. `OrganizationRequired`: the login leads into no organization.',
  })
  @ApiServiceUnavailableResponse({ description: 'The provider does not answer as it should.' })
  async completeLogin(@Req() request: PlatformRequest, @Res() response: Response): Promise<void> {
    keepNothing(response);
    const { token, expires, target } = await this.logins.complete(request, response);
    setAccessTokenCookie(response, this.settings, token, expires);
    response.redirect(302, target);
  }
}

/** The URLs of these requests contain secrets: they must not be cached or sent as a referrer. */
function keepNothing(response: Response): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Referrer-Policy', 'no-referrer');
}
