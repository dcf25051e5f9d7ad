import { Injectable } from '@nestjs/common';
import { Sessions } from '../../sessions/sessions.service.js';
import { currentCall } from '../current-call.js';

/** Grants, each of which is a session: ended by whatever ends the session, and ending it. */
@Injectable()
export class Grants {
  constructor(private readonly sessions: Sessions) {}

  /** Nothing happens when it has ended already. */
  async end(grantId: string): Promise<void> {
    const session = await this.sessions.findAlive(grantId);
    if (session !== null) await this.sessions.close(currentCall(session.userId), grantId);
  }
}
