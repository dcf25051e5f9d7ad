import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import type { Principal } from '../../kernel/principal.js';
import { unauthorized } from '../sent-credential.js';
import { SessionJwts } from '../sessions/session-jwts.service.js';
import { Sessions } from '../sessions/sessions.service.js';
import { redirectTarget } from './redirect-target.js';

/** What a browser takes away from an exchanged ticket. */
export interface WebSession {
  readonly token: string;
  readonly expires: Date;
  readonly target: string;
}

/** Browser sides of sessions. */
@Injectable()
export class WebSessions {
  constructor(
    private readonly sessions: Sessions,
    private readonly jwts: SessionJwts,
    private readonly settings: Settings,
  ) {}

  /** A JWT of the session whose ticket was just burnt, and where the browser goes with it. */
  async enter(principal: Principal, redirect: string): Promise<WebSession> {
    const session = await this.sessions.findAlive(principal.sessionId ?? '');
    const target = redirectTarget(redirect, this.settings);
    if (session === null || target === undefined) throw unauthorized();
    return { ...(await this.jwts.mint(session)), target };
  }
}
