import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import { Settings } from '../../../platform/config/settings.js';
import { Memberships } from '../../orgs/members/memberships.service.js';
import type { EmailLoginView } from '../email-login/email-login.dto.js';
import { setAccessTokenCookie } from '../sent-credential.js';
import type { PersonSession } from '../sessions/session.entity.js';
import { SessionJwts } from '../sessions/session-jwts.service.js';
import type { SignedInView } from './passkey.dto.js';

/** Signs a page in: the token of a new session is in the cookie and never in the body, so that no script can read it. */
@Injectable()
export class SignIns {
  constructor(
    private readonly memberships: Memberships,
    private readonly jwts: SessionJwts,
    private readonly settings: Settings,
  ) {}

  async enter(response: Response, session: PersonSession): Promise<SignedInView> {
    const { token, expires } = await this.jwts.mint(session);
    const active_org = await this.activeOrg(session);
    setAccessTokenCookie(response, this.settings, token, expires);
    return { userId: session.userId, active_org };
  }

  /** For programs: the token is in the body. */
  async answer(session: PersonSession): Promise<EmailLoginView> {
    const { token, expires } = await this.jwts.mint(session);
    const { id: sessionId, userId } = session;
    const active_org = await this.activeOrg(session);
    return { userId, sessionId, token, expires: expires.toISOString(), active_org };
  }

  private async activeOrg({ userId, activeOrgSlug }: PersonSession): Promise<string | null> {
    const [first] = await this.memberships.of(userId);
    return activeOrgSlug ?? first?.orgSlug ?? null;
  }
}
