import { Injectable } from '@nestjs/common';
import { Settings } from '../../config/settings.js';
import type { PlatformRequest } from '../../http/platform-request.js';
import { sentCredential } from '../sent-credential.js';
import { FIRST_PARTY_CLIENT } from '../sessions/jwt.js';
import type { PersonSession } from '../sessions/session.entity.js';
import { SessionJwts } from '../sessions/session-jwts.service.js';
import { Sessions } from '../sessions/sessions.service.js';
import { isLedHereByOurPages } from './led-here.js';

/** Who starts a login while signed in already. */
@Injectable()
export class StartingSessions {
  constructor(
    private readonly sessions: Sessions,
    private readonly jwts: SessionJwts,
    private readonly settings: Settings,
  ) {}

  /** Nobody needs a credential to sign in, so one that is no good counts as none. */
  async of(request: PlatformRequest): Promise<PersonSession | undefined> {
    if (!isLedHereByOurPages(request.headers, this.settings)) return undefined;
    const claims = await this.claims(request).catch(() => undefined);
    if (claims?.client_id !== FIRST_PARTY_CLIENT) return undefined;
    const session = await this.sessions.findAlive(claims.platformSessionId);
    return session?.userId === claims.sub ? session : undefined;
  }

  private async claims(request: PlatformRequest) {
    const { strategy, raw } = sentCredential(request);
    return strategy === 'jwt' ? this.jwts.verify(raw) : undefined;
  }
}
