import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Call } from '../../kernel/call.js';
import { PlatformError } from '../../kernel/errors.js';
import { firstCallOf } from '../../kernel/platform-call.js';
import type { PersonSession } from '../sessions/session.entity.js';
import { Sessions } from '../sessions/sessions.service.js';
import { FederatedAccounts } from './federated-accounts.service.js';
import type { FederatedLogin } from './federated-login.js';
import { FederatedMemberships } from './federated-memberships.service.js';

/** Who a provider's login is here: one way for the browser's callback and for token exchange (spec rules 7 and 8). */
@Injectable()
export class FederatedLogins {
  constructor(
    private readonly accounts: FederatedAccounts,
    private readonly memberships: FederatedMemberships,
    private readonly sessions: Sessions,
  ) {}

  /**
   * Opens a session for the person of the login, in the caller's RightsTransaction. 403 for a disabled account, and
   * `OrganizationRequired` when the provider has an organization and the login leads into none: then nothing stays.
   */
  async logIn(
    manager: EntityManager,
    request: Omit<Call, 'principal'>,
    login: FederatedLogin,
  ): Promise<PersonSession> {
    const user = await this.accounts.of(manager, request, login);
    const call = firstCallOf(user, request);
    await this.memberships.join(manager, call, login, user);
    const { orgSlug } = login.provider;
    if (orgSlug !== undefined && !(await this.memberships.resolves(manager, login, user))) {
      throw new PlatformError(
        'OrganizationRequired',
        'This login leads into no organization: ask to be invited, or sign in with an address of its domains.',
      );
    }
    const { seconds, userAgent } = login;
    return this.sessions.open(manager, call, { userId: user.id, seconds, userAgent });
  }
}
