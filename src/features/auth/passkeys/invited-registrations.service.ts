import { Injectable } from '@nestjs/common';
import type { Response } from 'express';
import type { EntityManager } from 'typeorm';
import { callOfUser } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { newId } from '../../../base/kernel/id.js';
import { activeMembership, type Principal } from '../../../base/kernel/principal.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Settings } from '../../../platform/config/settings.js';
import { Transactions } from '../../../platform/database/transactions.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { validated } from '../../../platform/http/validation.pipe.js';
import { Users } from '../../identity/users.service.js';
import { JoinOrgBody } from '../../orgs/invites/invite.dto.js';
import { Joining } from '../../orgs/invites/joining.service.js';
import { lockEmail, lockUser, ofEmail } from '../federated/federated-profiles.service.js';
import { isFromOurPages } from '../same-origin.js';
import { NothingSent, sentCredential } from '../sent-credential.js';
import type { PersonSession } from '../sessions/session.entity.js';
import { Sessions } from '../sessions/sessions.service.js';
import { JwtStrategy } from '../strategies/token.strategies.js';
import { type CeremonyOptions, type CreatedPasskey, PasskeyCeremonies } from './ceremonies.service.js';
import {
  CreatedCredentialBody,
  type SignedInView,
  type StartInvitedRegistrationBody,
} from './passkey.dto.js';
import type { Ceremony } from './passkey-challenges.service.js';
import { Passkeys } from './passkeys.service.js';
import { SignIns } from './sign-ins.service.js';

/** Lets people who have the code of an invitation and no account create one with a passkey, and join. */
@Injectable()
export class InvitedRegistrations {
  constructor(
    private readonly ceremonies: PasskeyCeremonies,
    private readonly joining: Joining,
    private readonly passkeys: Passkeys,
    private readonly users: Users,
    private readonly sessions: Sessions,
    private readonly signIns: SignIns,
    private readonly jwt: JwtStrategy,
    private readonly settings: Settings,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  /** 404 for a code that a new person cannot use, whatever the reason. 409 for somebody who is signed in. */
  async start(
    request: PlatformRequest,
    response: Response,
    { code, name }: StartInvitedRegistrationBody,
  ): Promise<CeremonyOptions> {
    this.ceremonies.assertOn();
    if ((await this.signedIn(request)) !== undefined) {
      throw new PlatformError(
        'Conflict',
        'You are signed in. To join with this account, send only the code to POST /v2/login/invitation.',
      );
    }
    const invite = await this.joining.findForNewcomer(code);
    const userId = newId();
    const started = { purpose: 'invitation', userId, inviteId: invite.id, name } as const;
    const owner = { id: userId, name: invite.email ?? name, displayName: name };
    return this.ceremonies.startCreation(request, response, started, owner);
  }

  /**
   * Creates the user with the passkey, accepts the invitation and signs in, in one transaction. Somebody who is signed in
   * joins with that account: the body is then `{code}`.
   */
  async finish(request: PlatformRequest, response: Response, body: unknown): Promise<SignedInView> {
    const principal = await this.signedIn(request);
    if (principal !== undefined) return this.joinAs(request, principal, validated(JoinOrgBody, body).code);
    const { ceremony, passkey } = await this.ceremonies.created(
      request,
      'invitation',
      validated(CreatedCredentialBody, body),
    );
    const { name: passkeyName } = body as CreatedCredentialBody;
    const session = await this.transactions.run(manager =>
      this.create(manager, request, ceremony, { passkey, passkeyName }),
    );
    return this.signIns.enter(response, session);
  }

  private async joinAs(
    { correlationId, ip }: PlatformRequest,
    principal: Principal,
    code: string,
  ): Promise<SignedInView> {
    const { slug } = await this.joining.join({ principal, via: 'rest', correlationId, ip }, code);
    return { userId: principal.id, active_org: activeMembership(principal)?.orgSlug ?? slug };
  }

  private async create(
    manager: EntityManager,
    { correlationId, ip, headers }: PlatformRequest,
    { userId, inviteId, name }: Ceremony,
    { passkey, passkeyName }: { readonly passkey: CreatedPasskey; readonly passkeyName: string | undefined },
  ): Promise<PersonSession> {
    const invite = await this.joining.findById(manager, inviteId as string);
    const user = await this.users.create(manager, {
      id: userId as string,
      email: await freeAddress(manager, invite.email),
      firstName: name,
      homeOrgId: invite.orgId,
      lastSeenAt: this.clock.now(),
    });
    const { id, email, firstName } = user;
    const call = callOfUser(user, { via: 'rest', correlationId, ip });
    await this.audit.record(manager, call, undefined, {
      type: 'users.created',
      target: { type: 'user', id },
      changes: { after: { email, emailVerified: false, firstName } },
    });
    const { id: passkeyId } = await this.passkeys.insert(manager, call, id, passkey, passkeyName);
    await this.joining.joinNewcomer(manager, call, invite, id);
    return this.sessions.open(manager, call, { userId: id, passkeyId, userAgent: headers['user-agent'] });
  }

  /** The person whose session the request carries. An invalid credential and an anonymous user count as nobody. */
  private async signedIn(request: PlatformRequest): Promise<Principal | undefined> {
    const sent = credentialOf(request);
    if (sent?.strategy !== 'jwt') return undefined;
    const principal = await this.jwt.principalOf(sent.raw);
    if (principal?.type !== 'user' || !principal.firstParty || principal.anonymous) return undefined;
    if (principal.boundTo !== undefined) return undefined;
    if (!sent.fromCookie || isFromOurPages(request.headers, this.settings)) return principal;
    throw new PlatformError(
      'CsrfRefused',
      'A request with the cookie must come from a page of this platform.',
    );
  }
}

function credentialOf(request: PlatformRequest): ReturnType<typeof sentCredential> | undefined {
  try {
    return sentCredential(request);
  } catch (error) {
    if (error instanceof NothingSent || (error instanceof PlatformError && error.status === 401))
      return undefined;
    throw error;
  }
}

/**
 * The address of the invitation, or none if an account has it: two accounts cannot have the same. The address stays
 * unproven, so it links and claims nothing.
 */
async function freeAddress(manager: EntityManager, email: string | null): Promise<string | null> {
  if (email === null) return null;
  await lockEmail(manager, email);
  return (await lockUser(manager, ofEmail(email))) === null ? email : null;
}
