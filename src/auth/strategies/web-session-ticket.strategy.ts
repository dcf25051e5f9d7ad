import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import CustomStrategy from 'passport-custom';
import type { PlatformRequest } from '../../http/platform-request.js';
import { invalid } from '../../kernel/errors.js';
import type { Principal } from '../../kernel/principal.js';
import { People } from '../principals.service.js';
import { FIRST_PARTY_SCOPE } from '../sessions/jwt.js';
import { WebSessionTickets } from '../web-session/web-session-tickets.service.js';

/**
 * Web session ticket (spec 3.1).
 *
 * - Read from: the query parameter `ticket` of the exchange.
 * - Proven by: its hash and its redirect target, while its session has not ended. The proof burns the ticket.
 * - Yields: the user of the session.
 */
@Injectable()
export class WebSessionTicketStrategy extends PassportStrategy(CustomStrategy, 'web-session-ticket') {
  constructor(
    private readonly tickets: WebSessionTickets,
    private readonly people: People,
  ) {
    super();
  }

  async validate(request: PlatformRequest): Promise<Principal | false> {
    const { ticket = '', redirect } = request.query;
    if (typeof redirect !== 'string') throw invalid('redirect: expects one value');
    if (typeof ticket !== 'string') throw invalid('ticket: expects one value');
    const session = await this.tickets.sessionOf(ticket, redirect);
    if (session === undefined) return false;
    const expiresAt = Math.floor(session.expiresAt.getTime() / 1000);
    const principal = await this.people.ofSession(session, expiresAt, FIRST_PARTY_SCOPE);
    if (principal === undefined) return false;
    const { correlationId, ip } = request;
    return (await this.tickets.burn({ principal, via: 'rest', correlationId, ip }, ticket)) && principal;
  }
}
