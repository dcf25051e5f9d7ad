import { Body, Controller, Get, Head, Post, Req, Res, UseGuards } from '@nestjs/common';
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
import type { Response } from 'express';
import { Settings } from '../../config/settings.js';
import { Calling } from '../../http/call.decorator.js';
import { IntegerField, TextField } from '../../http/field.decorators.js';
import type { PlatformRequest } from '../../http/platform-request.js';
import { Limited } from '../../http/rate-limit/limited.decorator.js';
import { Requires } from '../../http/requires.decorator.js';
import type { Call } from '../../kernel/call.js';
import { PlatformError } from '../../kernel/errors.js';
import type { Principal } from '../../kernel/principal.js';
import { setAccessTokenCookie } from '../sent-credential.js';
import { WebSessionTicketGuard } from './web-session-ticket.guard.js';
import { WebSessionTickets } from './web-session-tickets.service.js';

export class MintWebSessionTicketBody {
  @TextField({
    max: 2048,
    description: 'Where the browser goes: a path beginning with one /, or a URL of this platform.',
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
    description: 'Open it in a browser, once.',
    example:
      'http://127.0.0.1:3000/v2/user/webSession?ticket=Yx…&redirect=http%3A%2F%2F127.0.0.1%3A3000%2Fdocs',
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
  @ApiBadRequestResponse({ description: 'The redirect leaves the platform, or expiresIn is out of range.' })
  @ApiUnauthorizedResponse({ description: 'No valid credential.' })
  @ApiForbiddenResponse({ description: 'Only the session JWT of a named person may do this.' })
  async mintWebSessionTicket(
    @Calling() call: Call,
    @Body() body: MintWebSessionTicketBody,
  ): Promise<WebSessionTicketView> {
    const { url, ticket, expiresAt } = await this.tickets.mintOwn(call, body.redirect, body.expiresIn);
    return { url, ticket, expiresAt: expiresAt.toISOString() };
  }

  /** Express answers HEAD with the GET handler; a link preview must not burn the ticket. */
  @Head('webSession')
  @Requires({ public: true })
  @ApiExcludeEndpoint()
  refuseHead(@Res({ passthrough: true }) response: Response): never {
    response.setHeader('Allow', 'GET');
    throw new PlatformError('MethodNotAllowed', 'HEAD is not possible here; allowed: GET.');
  }

  @Get('webSession')
  @Limited('web-session')
  @Requires({ public: true })
  @UseGuards(WebSessionTicketGuard)
  @ApiOperation({ summary: 'Exchange the ticket of a sign-in link for the session cookie, and redirect' })
  @ApiQuery({ name: 'ticket', example: 'Yx0q4c8tN1sVb7mK3rWf9zLp2dHj6gEu5aToXiCyQnR' })
  @ApiQuery({ name: 'redirect', example: '/docs' })
  @ApiFoundResponse({ description: 'The cookie is set; Location is the redirect.' })
  @ApiBadRequestResponse({
    description: 'The redirect is not allowed or not the minted one; the ticket stays.',
  })
  @ApiUnauthorizedResponse({
    description: 'The ticket is unknown, used or expired, or its session has ended.',
  })
  @ApiTooManyRequestsResponse({ description: 'Too many requests; try again in a minute.' })
  async exchangeTicket(@Req() request: PlatformRequest, @Res() response: Response): Promise<void> {
    const { token, expires, target } = await this.tickets.enter(
      request.principal as Principal,
      request.query.redirect as string,
    );
    setAccessTokenCookie(response, this.settings, token, expires);
    response.redirect(302, target);
  }
}
