import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { type Call, callOfPlatform, callOfUser } from '../../../base/kernel/call.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Transactions } from '../../../platform/database/transactions.js';
import type { PersonSession } from '../sessions/session.entity.js';
import { Sessions } from '../sessions/sessions.service.js';
import { FederatedAccounts } from './federated-accounts.service.js';
import type { FederatedLogin } from './federated-login.js';
import { FederatedMemberships } from './federated-memberships.service.js';

type Request = Omit<Call, 'principal'>;

/** Opens a session for a login at a provider: for browsers and for token exchange (spec rules 7 and 8). */
@Injectable()
export class FederatedLogins {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly transactions: Transactions,
    private readonly accounts: FederatedAccounts,
    private readonly memberships: FederatedMemberships,
    private readonly sessions: Sessions,
    private readonly audit: AuditLog,
  ) {}

  /**
   * Opens a session for the person of the login. `first`, account, memberships and session are one transaction. Throws 403
   * for a disabled account, and `OrganizationRequired` when the provider belongs to an organization and the login joins
   * none. A refused login leaves only an audit event.
   */
  async logIn(
    request: Request,
    login: FederatedLogin,
    first?: (manager: EntityManager) => Promise<void>,
  ): Promise<PersonSession> {
    try {
      return await this.transactions.run(async manager => {
        await first?.(manager);
        return this.enter(manager, request, login);
      });
    } catch (error) {
      if (error instanceof PlatformError) await this.recordRefusal(request, login, error);
      throw error;
    }
  }

  private async enter(
    manager: EntityManager,
    request: Request,
    login: FederatedLogin,
  ): Promise<PersonSession> {
    const user = await this.accounts.of(manager, request, login);
    const call = callOfUser(user, request);
    await this.memberships.join(manager, call, login, user);
    const { orgSlug } = login.provider;
    if (orgSlug !== undefined && !(await this.memberships.resolves(manager, login, user))) {
      throw new PlatformError(
        'OrganizationRequired',
        'You are not a member of an organization, and this login does not make you one. Ask for an invitation, or sign in with an e-mail address of a domain whose users may join.',
      );
    }
    const { seconds, userAgent } = login;
    return this.sessions.open(manager, call, { userId: user.id, seconds, userAgent });
  }

  private recordRefusal(
    request: Request,
    { provider, person }: FederatedLogin,
    { code }: PlatformError,
  ): Promise<void> {
    const { issuer, subject } = person;
    return this.audit.record(this.source, callOfPlatform(request), undefined, {
      type: 'logins.refused',
      target: { type: 'provider', id: provider.id, name: provider.slug },
      changes: { after: { reason: code, issuer, subject } },
    });
  }
}
