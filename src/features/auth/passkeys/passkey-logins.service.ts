import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import type { Response } from 'express';
import { DataSource, type EntityManager } from 'typeorm';
import { type Call, callOfUser } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Transactions } from '../../../platform/database/transactions.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { AuthFailures } from '../../../platform/http/rate-limit/source-attempts.service.js';
import { User } from '../../identity/identity.entity.js';
import { unauthorized } from '../sent-credential.js';
import type { PersonSession } from '../sessions/session.entity.js';
import { Sessions } from '../sessions/sessions.service.js';
import { type CeremonyOptions, PasskeyCeremonies } from './ceremonies.service.js';
import type { UsedCredentialBody } from './passkey.dto.js';
import { Passkey } from './passkey.entity.js';

/** Signs people in with passkeys. */
@Injectable()
export class PasskeyLogins {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly ceremonies: PasskeyCeremonies,
    private readonly sessions: Sessions,
    private readonly transactions: Transactions,
    private readonly failures: AuthFailures,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  start(request: PlatformRequest, response: Response): Promise<CeremonyOptions> {
    return this.ceremonies.startUse(request, response);
  }

  /**
   * Opens a session. Everything that is wrong gets the same 401, which counts as a refused credential of the source
   * address: beyond the limit it is 429.
   */
  async finish(request: PlatformRequest, body: UsedCredentialBody): Promise<PersonSession> {
    try {
      return await this.logIn(request, body);
    } catch (error) {
      throw await this.failures.answerTo(error, request.ip);
    }
  }

  private async logIn(request: PlatformRequest, body: UsedCredentialBody): Promise<PersonSession> {
    const { passkey, signCount } = await this.ceremonies.used(request, body, credentialId =>
      this.source.manager.findOneBy(Passkey, { credentialId }),
    );
    const { correlationId, ip, headers } = request;
    const call = callOfUser({ id: passkey.userId }, { via: 'rest', correlationId, ip });
    try {
      return await this.transactions.run(manager =>
        this.open(manager, call, passkey, { signCount, userAgent: headers['user-agent'] }),
      );
    } catch (error) {
      if (error instanceof PlatformError) await this.recordRefusal(call, passkey);
      throw error;
    }
  }

  /**
   * Throws 401 when the passkey was deleted, when its person is disabled, or when its counter did not grow, which means
   * that two authenticators have the same key. Passkeys that are synchronized between devices always send 0.
   */
  private async open(
    manager: EntityManager,
    call: Call,
    { id, userId }: Passkey,
    { signCount, userAgent }: { readonly signCount: number; readonly userAgent: string | undefined },
  ): Promise<PersonSession> {
    const [[used]] = await manager.query(
      `UPDATE passkeys SET sign_count = $2, last_used_at = $3
       WHERE id = $1 AND ($2 > sign_count OR ($2 = 0 AND sign_count = 0)) RETURNING id`,
      [id, signCount, this.clock.now()],
    );
    if (used === undefined || !(await manager.existsBy(User, { id: userId, status: 'active' }))) {
      throw unauthorized();
    }
    return this.sessions.open(manager, call, { userId, passkeyId: id, userAgent });
  }

  private recordRefusal(call: Call, { id, userId }: Passkey): Promise<void> {
    return this.audit.record(this.source, call, undefined, {
      type: 'logins.refused',
      target: { type: 'user', id: userId },
      changes: { after: { reason: 'PasskeyRefused', passkeyId: id } },
    });
  }
}
