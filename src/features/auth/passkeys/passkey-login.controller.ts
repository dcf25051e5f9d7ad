import { Controller, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { Response } from 'express';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { Limited } from '../../../platform/http/rate-limit/limited.decorator.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Body } from '../../../platform/http/validated.decorators.js';
import type { CeremonyOptions } from './ceremonies.service.js';
import { SignedInView, UsedCredentialBody } from './passkey.dto.js';
import { PasskeyLogins } from './passkey-logins.service.js';
import { SignIns } from './sign-ins.service.js';

@ApiTags('Authentication')
@ApiForbiddenResponse({ description: 'Passkeys are off on this installation.' })
@ApiTooManyRequestsResponse({ description: 'Too many requests. Retry in a minute.' })
@Controller('v2/login/passkey')
export class PasskeyLoginController {
  constructor(
    private readonly logins: PasskeyLogins,
    private readonly signIns: SignIns,
  ) {}

  @Post('options')
  @HttpCode(200)
  @Limited('passkey-options')
  @Requires({ public: true })
  @ApiOperation({ summary: 'Start to sign in with a passkey: options for `navigator.credentials.get`' })
  @ApiOkResponse({
    description: 'Read them with `PublicKeyCredential.parseRequestOptionsFromJSON`. Valid for 5 minutes.',
    schema: { type: 'object', additionalProperties: true },
  })
  startPasskeyLogin(
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) response: Response,
  ): Promise<CeremonyOptions> {
    return this.logins.start(request, response);
  }

  @Post()
  @HttpCode(200)
  @Limited('passkey-login')
  @Requires({ public: true })
  @ApiOperation({ summary: 'Sign in with a passkey: open a session and set its cookie' })
  @ApiOkResponse({ type: SignedInView, description: 'The token is only in the cookie.' })
  @ApiUnauthorizedResponse({
    description:
      'The passkey is unknown or does not prove this sign-in, or its counter went back. The answer is always the same.',
  })
  async finishPasskeyLogin(
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) response: Response,
    @Body() body: UsedCredentialBody,
  ): Promise<SignedInView> {
    return this.signIns.enter(response, await this.logins.finish(request, body));
  }
}
