import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, IsNull, MoreThan, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Settings } from '../../../platform/config/settings.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { outlived, Pruning } from '../../identity/pruning.js';
import { People } from '../principals.service.js';
import { unauthorized } from '../sent-credential.js';
import { FIRST_PARTY_SCOPE } from '../sessions/jwt.js';
import type { PersonSession } from '../sessions/session.entity.js';
import { WebSessionTicket } from '../sessions/session.entity.js';
import { SessionJwts } from '../sessions/session-jwts.service.js';
import { Sessions } from '../sessions/sessions.service.js';
import { allowedRedirect, redirectTarget } from './redirect-target.js';

/** 256 bits in base64url. */
const FORM = /^[A-Za-z0-9_-]{43}$/;

export interface MintedTicket {
  /** The link that signs a browser in once. */
  readonly url: string;
  readonly ticket: string;
  readonly expiresAt: Date;
}

/** The JWT that a browser gets for a ticket, and the URL where it goes. */
export interface WebSession {
  readonly token: string;
  readonly expires: Date;
  readonly target: string;
}

/** Single-use tickets that sign a browser in to a session (spec 3.1). */
@Injectable()
export class WebSessionTickets {
  constructor(
    @InjectRepository(WebSessionTicket) private readonly tickets: Repository<WebSessionTicket>,
    private readonly transactions: Transactions,
    private readonly sessions: Sessions,
    private readonly people: People,
    private readonly jwts: SessionJwts,
    private readonly settings: Settings,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly pruning: Pruning,
  ) {}

  /** Mints a ticket in the caller's transaction. Throws 400 when the redirect target or the lifetime is not allowed. */
  async mint(
    manager: EntityManager,
    call: Call,
    session: { readonly id: string },
    redirect: string,
    seconds: number = this.settings.WEB_SESSION_TICKET_TTL,
  ): Promise<MintedTicket> {
    const target = allowedRedirect(redirect, this.settings);
    const most = this.settings.WEB_SESSION_TICKET_MAX_TTL;
    if (!(seconds >= 1 && seconds <= most))
      throw invalid(`expiresIn: expects a whole number from 1 to ${most}`);
    const now = this.clock.now();
    const ticket = randomBytes(32).toString('base64url');
    const expiresAt = new Date(now.getTime() + seconds * 1000);
    await manager.insert(WebSessionTicket, {
      secretHash: this.secrets.hash(ticket),
      sessionId: session.id,
      redirect: target,
      createdAt: now,
      expiresAt,
      burnedAt: null,
    });
    await this.record(manager, call, 'websessions.minted', session.id);
    const query = new URLSearchParams({ ticket, redirect: target });
    return { url: `${this.settings.PUBLIC_URL}/v2/user/webSession?${query}`, ticket, expiresAt };
  }

  /** Mints a ticket for the session of this call. Throws 403 for anonymous users. */
  mintOwn(call: Call, redirect: string, seconds: number | undefined): Promise<MintedTicket> {
    if (call.principal.anonymous) {
      throw new PlatformError('Forbidden', 'An anonymous user cannot mint web session tickets.');
    }
    const session = { id: call.principal.sessionId as string };
    return this.transactions.run(manager => this.mint(manager, call, session, redirect, seconds));
  }

  /**
   * Burns a ticket and mints a JWT of its session. Throws 400 when `redirect` is not allowed or not the redirect target of
   * the ticket, 401 when the ticket, its session or its user is not valid.
   */
  async enter(from: Omit<Call, 'principal'>, ticket: string, redirect: string): Promise<WebSession> {
    const session = await this.sessionOf(ticket, redirect);
    if (session === undefined) throw unauthorized();
    const expiresAt = Math.floor(session.expiresAt.getTime() / 1000);
    const principal = await this.people.ofSession(session, expiresAt, FIRST_PARTY_SCOPE);
    const target = redirectTarget(redirect, this.settings);
    if (principal === undefined || target === undefined) throw unauthorized();
    if (!(await this.burn({ ...from, principal }, ticket))) throw unauthorized();
    return { ...(await this.jwts.mint(session)), target };
  }

  private async sessionOf(ticket: string, redirect: string): Promise<PersonSession | undefined> {
    const target = allowedRedirect(redirect, this.settings);
    if (!FORM.test(ticket)) return undefined;
    const minted = await this.tickets.findOneBy({
      secretHash: In(this.secrets.hashes(ticket)),
      burnedAt: IsNull(),
      expiresAt: MoreThan(this.clock.now()),
    });
    if (minted === null) return undefined;
    if (minted.redirect !== target) throw invalid('redirect: differs from the redirect target of the ticket');
    return (await this.sessions.findAlive(minted.sessionId)) ?? undefined;
  }

  /** Marks a ticket as used. Exactly one of several concurrent calls returns true. */
  private burn(call: Call, ticket: string): Promise<boolean> {
    return this.transactions.run(async manager => {
      // This single statement decides; what `sessionOf` has read may be outdated.
      const [[burned]] = await manager.query(
        `UPDATE web_session_tickets t SET burned_at = $2 FROM sessions s
         WHERE t.secret_hash = ANY($1) AND t.burned_at IS NULL AND t.expires_at > $2
           AND s.id = t.session_id AND s.revoked_at IS NULL AND s.expires_at > $2
         RETURNING s.id`,
        [this.secrets.hashes(ticket), this.clock.now()],
      );
      if (burned === undefined) return false;
      await this.record(manager, call, 'websessions.burned', burned.id);
      return true;
    });
  }

  /** Removes expired tickets. Returns their number. */
  removeExpired(signal?: AbortSignal): Promise<number> {
    const expired = { entity: WebSessionTicket, time: 'expiresAt', before: this.clock.now() } as const;
    return this.pruning.remove({ ...expired, event: outlived('websessions') }, signal);
  }

  private record(manager: EntityManager, call: Call, type: string, sessionId: string): Promise<void> {
    return this.audit.record(manager, call, undefined, { type, target: { type: 'session', id: sessionId } });
  }
}
