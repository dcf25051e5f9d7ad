import { Controller, Get, Param, Post, Req, Res } from '@nestjs/common';
import {
  ApiCreatedResponse,
  ApiExcludeEndpoint,
  ApiOperation,
  ApiParam,
  ApiProperty,
  ApiPropertyOptional,
  ApiTags,
} from '@nestjs/swagger';
import type { Response } from 'express';
import type { Call } from '../../../base/kernel/call.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { Settings } from '../../../platform/config/settings.js';
import { FormBody } from '../../../platform/http/body/body.decorators.js';
import { TextField } from '../../../platform/http/field.decorators.js';
import { html, type Page, sendPage } from '../../../platform/http/html-page.js';
import { CallerMembership, Calling, type PlatformRequest } from '../../../platform/http/platform-request.js';
import { Limited } from '../../../platform/http/rate-limit/limited.decorator.js';
import { type Language, RequestLanguage } from '../../../platform/http/request-language.js';
import { Refuses, Requires } from '../../../platform/http/requires.decorator.js';
import { Body, Query } from '../../../platform/http/validated.decorators.js';
import { AdmittedWrites } from '../../identity/admitted-writes.js';
import { failedSignInPage } from '../console-sign-in.js';
import { SignIns } from '../passkeys/sign-ins.service.js';
import { isFromOurPages } from '../same-origin.js';
import { RECOVERY_PATH, RecoveryLinks } from './recovery-links.service.js';

export class RecoveryLinkView {
  @ApiProperty({
    description: 'Sign-in link for the member. It works once. Shown only in this response.',
    example: 'http://localhost:3000/v2/login/recovery?code=Yx0q4c8tN1sVb7mK3rWf9zLp2dHj6gEu5aToXiCyQnR',
  })
  url: string;

  @ApiProperty({ description: 'When the link ends, 24 hours after it was made.', format: 'date-time' })
  expires_at: string;

  @ApiPropertyOptional({
    enum: [true],
    description:
      'true: the link is mailed to the member, whose account has proven the address or was invited by it. Absent: it is not.',
  })
  mailed?: true;
}

@ApiTags('Members')
@ApiParam({ name: 'orgSlug', example: 'default' })
@AdmittedWrites()
@Controller('v2/orgs/:orgSlug/members/:userId/recovery-link')
export class RecoveryLinksController {
  constructor(private readonly links: RecoveryLinks) {}

  @Post()
  @Requires({ org: 'orgs:members:manage' })
  @Refuses(
    403,
    'The organization has not created the account, the person belongs to another organization or has another identity provider to sign in with, has a role that the caller could not grant, or is the caller.',
  )
  @Refuses(404, 'The organization has no member with this id.')
  @ApiOperation({ summary: 'Create a one-time sign-in link of 24 hours for a member who cannot sign in' })
  @ApiParam({ name: 'userId', format: 'uuid', description: 'Id of the member.' })
  @ApiCreatedResponse({ type: RecoveryLinkView })
  createRecoveryLink(
    @Calling() call: Call,
    @CallerMembership() membership: Membership,
    @Param('userId') userId: string,
    @RequestLanguage() language: Language,
  ): Promise<RecoveryLinkView> {
    return this.links.create(call, membership, userId, language);
  }
}

export class RecoveryBody {
  @TextField({ max: 200, description: 'The code of the link.' })
  code: string;
}

/** The page of a link. Opening it changes nothing, because programs that show previews of messages open links too. */
@Controller(RECOVERY_PATH)
export class RecoveryPageController {
  constructor(
    private readonly links: RecoveryLinks,
    private readonly signIns: SignIns,
    private readonly settings: Settings,
  ) {}

  @Get()
  @Limited('recovery')
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  showRecovery(@Res() response: Response, @Query() { code }: RecoveryBody): void {
    keepSecret(response);
    sendPage(response, {
      title: 'Sign in',
      main: html`<p>This link signs you in once and ends all your other sessions.</p>
<form method="post" action="${RECOVERY_PATH}" aria-label="Sign in">
<input type="hidden" name="code" value="${code}">
<button class="main" type="submit">Sign in</button>
</form>`,
    });
  }

  @Post()
  @FormBody()
  @Limited('recovery')
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  async useRecovery(
    @Req() request: PlatformRequest,
    @Res() response: Response,
    @Body() { code }: RecoveryBody,
  ): Promise<void> {
    keepSecret(response);
    request.refusalPage = error =>
      failedSignInPage(deadLinkPage(error), this.settings, { failed: 'link', error: error.code });
    // Otherwise another site could sign this browser in to an account of its own choice.
    if (!isFromOurPages(request.headers, this.settings)) {
      throw new PlatformError('CsrfRefused', 'Open the link, and use the button on its page.');
    }
    await this.signIns.enter(response, await this.links.use(request, code));
    response.redirect(303, '/');
  }
}

/** The address contains a secret: it must not be cached or sent as a referrer. */
function keepSecret(response: Response): void {
  response.setHeader('Cache-Control', 'no-store');
  response.setHeader('Referrer-Policy', 'same-origin');
}

function deadLinkPage({ status, message }: PlatformError): Page {
  return {
    title: 'This sign-in link does not work',
    main: html`<p>${
      status === 401
        ? 'It was used already, has expired, or is not complete. Ask your organization for a new one.'
        : message
    }</p>`,
  };
}
