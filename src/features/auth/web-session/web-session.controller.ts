import { Controller, Get, Head, Header, Post, Req, Res } from '@nestjs/common';
import {
  ApiBadRequestResponse,
  ApiCreatedResponse,
  ApiExcludeEndpoint,
  ApiForbiddenResponse,
  ApiFoundResponse,
  ApiOperation,
  ApiProperty,
  ApiQuery,
  ApiTags,
  ApiTooManyRequestsResponse,
  ApiUnauthorizedResponse,
} from '@nestjs/swagger';
import type { Request, Response } from 'express';
import type { Call } from '../../../base/kernel/call.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { Settings } from '../../../platform/config/settings.js';
import { IntegerField, TextField } from '../../../platform/http/field.decorators.js';
import { html, type Page } from '../../../platform/http/html-page.js';
import { Calling, type PlatformRequest } from '../../../platform/http/platform-request.js';
import { Limited } from '../../../platform/http/rate-limit/limited.decorator.js';
import { Requires } from '../../../platform/http/requires.decorator.js';
import { Body } from '../../../platform/http/validated.decorators.js';
import { failedSignInPage } from '../console-sign-in.js';
import { setAccessTokenCookie } from '../sent-credential.js';
import { WebSessionTickets } from './web-session-tickets.service.js';

/** Browsers announce a prefetch in `Sec-Purpose` (Fetch); older ones in one of the other two headers. */
function isPrefetch({ headers }: Request): boolean {
  return ['sec-purpose', 'purpose', 'x-moz'].some(name => /prefetch/i.test(String(headers[name] ?? '')));
}

/** The page for a person whose sign-in link does not work. */
function deadLinkPage({ status, message }: PlatformError): Page {
  return {
    title: 'This sign-in link does not work',
    main: html`${status === 401 ? USED : html`<p>${message}</p>`}
<p>Get a new link. Where the service runs, this prints one:</p>
<p><code>npm run cli -- sign-in</code></p>
<p>If somebody sent you the link, ask them for a new one. <a href="/">More about this service</a></p>`,
  };
}

const USED = html`<p>It was used already, has expired, or is not complete. Each link works once, and for a few minutes only.</p>`;

export class MintWebSessionTicketBody {
  @TextField({
    max: 2048,
    description: 'Where the browser goes: a path that begins with one /, or a URL of this service.',
    example: '/docs',
  })
  redirect: string;

  @IntegerField({
    optional: true,
    min: 1,
    max: 300,
    description: 'Lifetime in seconds (default WEB_SESSION_TICKET_TTL, at most WEB_SESSION_TICKET_MAX_TTL).',
    example: 60,
  })
  expiresIn?: number;
}

export class WebSessionTicketView {
  @ApiProperty({
    description: 'Sign-in link. It works once, in any browser.',
    example:
      'http://localhost:3000/v2/user/webSession?ticket=Yx…&redirect=http%3A%2F%2Flocalhost%3A3000%2Fdocs',
  })
  url: string;

  @ApiProperty({ example: 'Yx0q4c8tN1sVb7mK3rWf9zLp2dHj6gEu5aToXiCyQnR' })
  ticket: string;

  @ApiProperty({ format: 'date-time' })
  expiresAt: string;
}

@ApiTags('Authentication')
@Controller('v2/user')
export class WebSessionController {
  constructor(
    private readonly tickets: WebSessionTickets,
    private readonly settings: Settings,
  ) {}

  @Post('webSessionTicket')
  @Requires({ caller: 'session' })
  @ApiOperation({ summary: 'Mint a one-time link that signs a browser in to this session' })
  @ApiCreatedResponse({ type: WebSessionTicketView })
  @ApiBadRequestResponse({
    description: 'The redirect is not an address of this service, or `expiresIn` is out of range.',
  })
  @ApiUnauthorizedResponse({ description: 'The request has no valid credential.' })
  @ApiForbiddenResponse({
    description: 'Only a session JWT of a person can do this; anonymous users cannot.',
  })
  async mintWebSessionTicket(
    @Calling() call: Call,
    @Body() body: MintWebSessionTicketBody,
  ): Promise<WebSessionTicketView> {
    const { url, ticket, expiresAt } = await this.tickets.mintOwn(call, body.redirect, body.expiresIn);
    return { url, ticket, expiresAt: expiresAt.toISOString() };
  }

  /** Express would answer HEAD with the GET handler, and the HEAD request of a link preview would burn the ticket. */
  @Head('webSession')
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  refuseHead(@Res({ passthrough: true }) response: Response): never {
    response.setHeader('Allow', 'GET');
    throw new PlatformError('MethodNotAllowed', 'HEAD is not possible here; allowed: GET.');
  }

  // The URL contains a secret, so no answer may be cached or send a referrer.
  @Get('webSession')
  @Header('Referrer-Policy', 'no-referrer')
  @Header('Cache-Control', 'no-store')
  @Limited('web-session')
  @Requires({ public: true })
  @ApiOperation({ summary: 'Exchange the ticket of a sign-in link for the session cookie, and redirect' })
  @ApiQuery({
    name: 'ticket',
    description: 'Ticket of the sign-in link.',
    example: 'Yx0q4c8tN1sVb7mK3rWf9zLp2dHj6gEu5aToXiCyQnR',
  })
  @ApiQuery({
    name: 'redirect',
    description: 'The redirect that the ticket was minted with.',
    example: '/docs',
  })
  @ApiFoundResponse({ description: 'Sets the session cookie and redirects.' })
  @ApiBadRequestResponse({
    description:
      'The redirect is not allowed, or differs from the one that the ticket was minted with. The ticket stays valid.',
  })
  @ApiUnauthorizedResponse({
    description: 'The ticket is unknown, used or expired, or its session has ended.',
  })
  @ApiTooManyRequestsResponse({ description: 'Too many requests. Retry in a minute.' })
  async exchangeTicket(@Req() request: PlatformRequest, @Res() response: Response): Promise<void> {
    const { ticket = '', redirect } = request.query;
    request.refusalPage = error =>
      failedSignInPage(deadLinkPage(error), this.settings, {
        next: typeof redirect === 'string' ? redirect : undefined,
        failed: 'link',
        error: error.code,
      });
    if (isPrefetch(request)) {
      throw invalid('A prefetch cannot exchange a ticket. Open the link.');
    }
    if (typeof redirect !== 'string') throw invalid('redirect: expects one value');
    if (typeof ticket !== 'string') throw invalid('ticket: expects one value');
    const { correlationId, ip } = request;
    const entered = await this.tickets.enter({ via: 'rest', correlationId, ip }, ticket, redirect);
    setAccessTokenCookie(response, this.settings, entered.token, entered.expires);
    response.redirect(302, entered.target);
  }
}
