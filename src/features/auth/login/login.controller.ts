import { applyDecorators, Controller, Get, Head, Post, Req, Res } from '@nestjs/common';
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
  ApiParam,
  ApiQuery,
  ApiServiceUnavailableResponse,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import type { Response } from 'express';
import { PlatformError } from '../../../base/kernel/errors.js';
import { passkeysAreOn } from '../../../platform/config/passkeys.js';
import { Settings } from '../../../platform/config/settings.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { Limited } from '../../../platform/http/rate-limit/limited.decorator.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { Providers } from '../../orgs/sso/providers.service.js';
import { failedLoginPage } from '../console-sign-in.js';
import { EmailLoginAdmission } from '../email-login/email-login-admission.service.js';
import { SignedInView } from '../passkeys/passkey.dto.js';
import { SignIns } from '../passkeys/sign-ins.service.js';
import { isFromOurPages } from '../same-origin.js';
import { setAccessTokenCookie } from '../sent-credential.js';
import { AnonymousUsers, type LoginOrigin } from './anonymous-users.service.js';
import {
  AnonymousLoginView,
  ListLoginProvidersQuery,
  LogInAnonymouslyBody,
  LoginProvidersView,
  StartLoginQuery,
} from './login.dto.js';
import { ProviderLogins } from './provider-logins.service.js';

/** What both addresses to which providers send browsers back take and answer. */
function ReturnsFromProvider(): MethodDecorator {
  return applyDecorators(
    ApiQuery({
      name: 'code',
      type: String,
      description:
        'Authorization code from the identity provider. Other parameters of the provider are accepted.',
    }),
    ApiQuery({ name: 'state', type: String, description: 'The state that the login was started with.' }),
    ApiQuery({
      name: 'iss',
      type: String,
      required: false,
      description: 'Issuer of the response (RFC 9207).',
    }),
    ApiFoundResponse({
      description: 'Sets the session cookie and redirects to the address that the login was started with.',
    }),
    ApiForbiddenResponse({
      description:
        'The account is disabled, or `OrganizationRequired`: the login does not make the person a member of an organization.',
    }),
    ApiServiceUnavailableResponse({
      description: 'The identity provider cannot be reached or sent an invalid response.',
    }),
  );
}

@ApiTags('Authentication')
@ApiTooManyRequestsResponse({ description: 'Too many requests. Retry in a minute.' })
@Controller('v2/login')
export class LoginController {
  constructor(
    private readonly anonymousUsers: AnonymousUsers,
    private readonly providers: Providers,
    private readonly logins: ProviderLogins,
    private readonly signIns: SignIns,
    private readonly emailLogins: EmailLoginAdmission,
    private readonly settings: Settings,
  ) {}

  @Get('providers')
  @Limited('login-providers')
  @Requires({ public: true })
  @ApiOperation({ summary: 'List the ways to sign in' })
  @ApiOkResponse({ type: LoginProvidersView })
  async listLoginProviders(@Query() { orgSlug }: ListLoginProvidersQuery): Promise<LoginProvidersView> {
    return {
      anonymous: orgSlug === undefined || (await this.anonymousUsers.areAdmittedBy(orgSlug)),
      passkeys: passkeysAreOn(this.settings),
      ...((await this.emailLogins.isOfferedBy(orgSlug)) && { email: true }),
      providers: await this.providers.listed(),
    };
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
  @ApiNotFoundResponse({ description: 'There is no organization with this slug.' })
  logInAnonymously(
    @Req() request: PlatformRequest,
    @Body() body: LogInAnonymouslyBody,
  ): Promise<AnonymousLoginView> {
    return this.anonymousUsers.logIn(originOf(request), body);
  }

  @Post('anonymous/session')
  @Limited('anonymous')
  @Requires({ public: true })
  @ApiOperation({ summary: 'Create an anonymous user and set the cookie of its session, for pages' })
  @ApiBody({
    type: LogInAnonymouslyBody,
    required: false,
    examples: { hour: { summary: 'A session of one hour', value: { expiresAfter: 3600 } } },
  })
  @ApiCreatedResponse({ type: SignedInView, description: 'The token is only in the cookie.' })
  @ApiBadRequestResponse({ description: 'expiresAfter is out of range, or a field is unknown.' })
  @ApiForbiddenResponse({
    description:
      'The organization has not enabled anonymous login, or the request does not come from a page of this platform.',
  })
  @ApiNotFoundResponse({ description: 'There is no organization with this slug.' })
  async enterAnonymously(
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) response: Response,
    @Body() body: LogInAnonymouslyBody,
  ): Promise<SignedInView> {
    // Otherwise another site could replace the session of this browser.
    if (!isFromOurPages(request.headers, this.settings)) {
      throw new PlatformError('CsrfRefused', 'Only a page of this platform can set its cookie.');
    }
    return this.signIns.enter(response, await this.anonymousUsers.open(originOf(request), body));
  }

  @Get()
  @Limited('login')
  @Requires({ public: true })
  @ApiOperation({ summary: 'Begin signing in: redirect the browser to an identity provider' })
  @ApiFoundResponse({
    description: 'Redirects to the identity provider and sets a cookie that ties the login to this browser.',
  })
  @ApiNotFoundResponse({ description: 'There is no identity provider with this slug, or it is disabled.' })
  @ApiServiceUnavailableResponse({
    description: 'The identity provider cannot be reached or sent an invalid response.',
  })
  async startLogin(
    @Req() request: PlatformRequest,
    @Res() response: Response,
    @Query() query: StartLoginQuery,
  ): Promise<void> {
    keepNothing(response);
    request.refusalPage = failedLoginPage(this.settings, query.redirect);
    response.redirect(302, await this.logins.begin(request, response, query));
  }

  /** Express would answer HEAD with the GET handler, and the HEAD request of a link preview would use up the code. */
  @Head(['callback', 'callback/:provider'])
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
  @ReturnsFromProvider()
  async completeLogin(@Req() request: PlatformRequest, @Res() response: Response): Promise<void> {
    await this.complete(request, response);
  }

  @Get('callback/:provider')
  @Limited('login-callback')
  @Requires({ public: true })
  @ApiOperation({
    summary: 'Complete signing in with a provider that has a redirect URI of its own',
    description: 'As `GET /v2/login/callback`, for the provider in the path.',
  })
  @ApiParam({ name: 'provider', type: String, description: 'Slug of the identity provider.' })
  @ReturnsFromProvider()
  async completeLoginOfProvider(@Req() request: PlatformRequest, @Res() response: Response): Promise<void> {
    await this.complete(request, response);
  }

  private async complete(request: PlatformRequest, response: Response): Promise<void> {
    keepNothing(response);
    const login = this.logins.begun(request, response);
    request.refusalPage = failedLoginPage(this.settings, login?.redirect);
    const { token, expires, target } = await this.logins.complete(request, login);
    setAccessTokenCookie(response, this.settings, token, expires);
    response.redirect(302, target);
  }
}

function originOf({ correlationId, ip, headers }: PlatformRequest): LoginOrigin {
  return { via: 'rest', correlationId, ip, userAgent: headers['user-agent'] };
}

/** The URLs of these requests contain secrets: they must not be cached or sent as a referrer. */
function keepNothing(response: Response): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Referrer-Policy', 'no-referrer');
}
