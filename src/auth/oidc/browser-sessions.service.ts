import type { IncomingMessage } from 'node:http';
import { Injectable } from '@nestjs/common';
import type { Principal } from '../../kernel/principal.js';
import { type SentCredential, sentCredential } from '../sent-credential.js';
import { Sessions } from '../sessions/sessions.service.js';
import { JwtStrategy } from '../strategies/jwt.strategy.js';

/** Who is signed in to the platform in a browser. */
export interface SignedIn {
  readonly principal: Principal;
  /** When they signed in. */
  readonly since: Date;
}

/** The platform's sign-in of a browser: its cookie, the only thing that the authorization server believes. */
@Injectable()
export class BrowserSessions {
  constructor(
    private readonly strategy: JwtStrategy,
    private readonly sessions: Sessions,
  ) {}

  /** A named person; undefined for everybody else, anonymous users among them: they may not mint tokens. */
  async signedIn(request: IncomingMessage): Promise<SignedIn | undefined> {
    const sent = cookieOf(request);
    const principal = sent && (await this.strategy.principalOf(sent.raw));
    if (principal?.type !== 'user' || !principal.firstParty || principal.anonymous) return undefined;
    // A JWT for one resource is good there alone: here it would be exchanged for one that is good everywhere.
    if (principal.boundTo !== undefined) return undefined;
    const session = await this.sessions.findAlive(principal.sessionId as string);
    return session === null ? undefined : { principal, since: session.createdAt };
  }
}

function cookieOf(request: IncomingMessage): SentCredential | undefined {
  try {
    const sent = sentCredential(request);
    return sent.fromCookie ? sent : undefined;
  } catch {
    return undefined;
  }
}
