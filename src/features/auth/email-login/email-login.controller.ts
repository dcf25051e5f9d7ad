import { Controller, Get, HttpCode, Post, Req, Res } from '@nestjs/common';
import {
  ApiAcceptedResponse,
  ApiExcludeEndpoint,
  ApiForbiddenResponse,
  ApiOkResponse,
  ApiOperation,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { Settings } from '../../../platform/config/settings.js';
import { sendPage } from '../../../platform/http/html-page.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { Limited } from '../../../platform/http/rate-limit/limited.decorator.js';
import { languageOf } from '../../../platform/http/request-language.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Body } from '../../../platform/http/validated.decorators.js';
import { SignedInView } from '../passkeys/passkey.dto.js';
import { SignIns } from '../passkeys/sign-ins.service.js';
import { isFromOurPages } from '../same-origin.js';
import type { PersonSession } from '../sessions/session.entity.js';
import { emailLinkPage } from './email-link-page.js';
import {
  EmailLinkBody,
  EmailLinkView,
  EmailLoginView,
  FinishEmailLoginBody,
  FinishEmailLoginOfPageBody,
  StartEmailLoginBody,
  StartedEmailLoginView,
} from './email-login.dto.js';
import { EmailLogins } from './email-logins.service.js';
import { StartedEmailLogins } from './started-email-logins.service.js';

const REFUSED = {
  description:
    'The same for every failure: a wrong code, the sixth try, a code that was used or has expired, an account that may not sign in.',
};

@ApiTags('Authentication')
@ApiTooManyRequestsResponse({ description: 'Too many requests. Retry in a minute.' })
@Controller('v2/login/email')
export class EmailLoginController {
  constructor(
    private readonly started: StartedEmailLogins,
    private readonly logins: EmailLogins,
    private readonly signIns: SignIns,
    private readonly settings: Settings,
  ) {}

  @Post()
  @HttpCode(202)
  @Limited('email-login')
  @Requires({ public: true })
  @ApiOperation({
    summary: 'Start to sign in by e-mail: a mail with a code and a link, if the address may sign in',
    description:
      'The answer is the same for every address. A mail has a code of 8 letters and a link; both work once, within 10 minutes. An address gets at most 5 mails within an hour.',
  })
  @ApiAcceptedResponse({
    type: StartedEmailLoginView,
    description:
      'Sets a cookie that ties the sign-in to this browser, for `POST /v2/login/email/verify/session`.',
  })
  @ApiForbiddenResponse({ description: 'Sign-in by e-mail is off on this installation.' })
  startEmailLogin(
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) response: Response,
    @Body() body: StartEmailLoginBody,
  ): Promise<StartedEmailLoginView> {
    return this.started.start(request, response, body);
  }

  @Post('verify')
  @HttpCode(200)
  @Limited('email-code')
  @Requires({ public: true })
  @ApiOperation({
    summary: 'Complete a sign-in by e-mail with the code',
    description:
      'Opens a session of the account that has proven the address; else of the anonymous user whose session the request carries, who keeps the id; else of a new account.',
  })
  @ApiOkResponse({ type: EmailLoginView })
  @ApiUnauthorizedResponse(REFUSED)
  async finishEmailLogin(
    @Req() request: PlatformRequest,
    @Body() body: FinishEmailLoginBody,
  ): Promise<EmailLoginView> {
    const session = await this.logins.finish(request, body, { inBrowser: false });
    return this.signIns.answer(session);
  }

  @Post('verify/session')
  @HttpCode(200)
  @Limited('email-code')
  @Requires({ public: true })
  @ApiOperation({ summary: 'Complete a sign-in by e-mail in a page: sets the cookie of the session' })
  @ApiOkResponse({ type: SignedInView, description: 'The token is only in the cookie.' })
  @ApiUnauthorizedResponse(REFUSED)
  @ApiForbiddenResponse({ description: 'The request does not come from a page of this platform.' })
  async finishEmailLoginOfPage(
    @Req() request: PlatformRequest,
    @Res({ passthrough: true }) response: Response,
    @Body() body: FinishEmailLoginOfPageBody,
  ): Promise<SignedInView> {
    // Otherwise another site could sign this browser in to an account of its own choice.
    if (!isFromOurPages(request.headers, this.settings)) {
      throw new PlatformError('CsrfRefused', 'Only a page of this platform can set its cookie.');
    }
    return this.signIns.enter(response, await this.finishOfPage(request, body));
  }

  @Get('link')
  @Limited('email-link')
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  showEmailLink(@Req() request: Request, @Res() response: Response): void {
    response.setHeader('Referrer-Policy', 'same-origin');
    sendPage(response, emailLinkPage(languageOf(request)));
  }

  @Post('link')
  @HttpCode(200)
  @Limited('email-link')
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  async readEmailLink(
    @Req() request: PlatformRequest,
    @Body() { link }: EmailLinkBody,
  ): Promise<EmailLinkView> {
    const { wanted, org } = await this.logins.shown(request, link);
    const { email, redirect } = wanted;
    return { email, orgName: org?.name ?? null, ...(redirect !== undefined && { redirect }) };
  }

  private finishOfPage(
    request: PlatformRequest,
    { login_id, code, link }: FinishEmailLoginOfPageBody,
  ): Promise<PersonSession> {
    if (link !== undefined && login_id === undefined && code === undefined)
      return this.logins.finishByLink(request, link);
    if (link !== undefined || login_id === undefined || code === undefined)
      throw invalid('Send login_id and code, or link.');
    return this.logins.finish(request, { login_id, code }, { inBrowser: true });
  }
}
