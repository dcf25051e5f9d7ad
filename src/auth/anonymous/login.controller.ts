import { Body, Controller, Get, Post, Req } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiBody,
  ApiCreatedResponse,
  ApiForbiddenResponse,
  ApiNotFoundResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
} from '@nestjs/swagger';
import type { PlatformRequest } from '../../http/platform-request.js';
import { Limited } from '../../http/rate-limit/limited.decorator.js';
import { Requires } from '../../http/requires.decorator.js';
import { Providers } from '../../orgs/sso/providers.service.js';
import { AnonymousLoginView, LogInAnonymouslyBody, LoginProvidersView } from './anonymous.dto.js';
import { AnonymousUsers } from './anonymous-users.service.js';

@ApiTags('Authentication')
@ApiTooManyRequestsResponse({ description: 'Too many requests; try again in a minute.' })
@Controller('v2/login')
export class LoginController {
  constructor(
    private readonly anonymousUsers: AnonymousUsers,
    private readonly providers: Providers,
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
}
