import { Injectable } from '@nestjs/common';
import { PassportStrategy } from '@nestjs/passport';
import CustomStrategy from 'passport-custom';
import type { PlatformRequest } from '../../http/platform-request.js';
import { invalid } from '../../kernel/errors.js';
import type { Principal } from '../../kernel/principal.js';
import { People } from '../people.service.js';
import { FIRST_PARTY_SCOPE } from '../sessions/jwt.js';
import { WebSessionTickets } from '../web-session/web-session-tickets.service.js';

/** Web session ticket from the query of the exchange (spec 3.1), burnt by being proven; yields its session's user. */
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
    if (typeof redirect !== 'string') throw invalid('redirect: expects one text');
    if (typeof ticket !== 'string') throw invalid('ticket: expects one text');
    const session = await this.tickets.sessionOf(ticket, redirect);
    if (session === undefined) return false;
    const expiresAt = Math.floor(session.expiresAt.getTime() / 1000);
    const principal = await this.people.ofSession(session, expiresAt, FIRST_PARTY_SCOPE);
    if (principal === undefined) return false;
    const { correlationId, ip } = request;
    return (await this.tickets.burn({ principal, via: 'rest', correlationId, ip }, ticket)) && principal;
  }
}
