import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager, IsNull } from 'typeorm';
import { type Call, callOfUser } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Settings } from '../../../platform/config/settings.js';
import { Transactions } from '../../../platform/database/transactions.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { AuthFailures } from '../../../platform/http/rate-limit/source-attempts.service.js';
import type { User } from '../../identity/identity.entity.js';
import { Joining } from '../../orgs/invites/joining.service.js';
import { OrgMembership } from '../../orgs/members/membership.entity.js';
import { Memberships, replaceGroups } from '../../orgs/members/memberships.service.js';
import type { Org, SignUp } from '../../orgs/org.entity.js';
import { lockOrg } from '../../orgs/org-lock.js';
import { FederatedMemberships } from '../federated/federated-memberships.service.js';
import { FederatedProfiles, lockEmail, lockUser, ofEmail } from '../federated/federated-profiles.service.js';
import { isFromOurPages } from '../same-origin.js';
import { sentCredential, unauthorized } from '../sent-credential.js';
import { type PersonSession, Session } from '../sessions/session.entity.js';
import { Sessions } from '../sessions/sessions.service.js';
import { JwtStrategy } from '../strategies/token.strategies.js';
import type { FinishEmailLoginBody } from './email-login.dto.js';
import { EmailLogin } from './email-login.entity.js';
import { EmailLoginAdmission } from './email-login-admission.service.js';
import { type EmailLoginRequest, StartedEmailLogins } from './started-email-logins.service.js';

type Request = Omit<Call, 'principal'>;

/** Codes that may be tried for one sign-in. */
const MOST_TRIES = 5;

/**
 * Counts a try before the code is compared, so that parallel tries cannot exceed the limit. $4: hashes of the browser, or
 * null for a program, which needs none.
 */
const TRY = `
  UPDATE email_logins SET tries = tries + 1
  WHERE id = $1 AND tries < $2 AND used_at IS NULL AND expires_at > $3 AND ($4::text[] IS NULL OR browser_hash = ANY ($4))
  RETURNING id, code_hash AS "codeHash"`;

/** Completes sign-ins by e-mail. Every failure is the same 401. */
@Injectable()
export class EmailLogins {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly started: StartedEmailLogins,
    private readonly admission: EmailLoginAdmission,
    private readonly profiles: FederatedProfiles,
    private readonly federated: FederatedMemberships,
    private readonly memberships: Memberships,
    private readonly joining: Joining,
    private readonly sessions: Sessions,
    private readonly jwt: JwtStrategy,
    private readonly failures: AuthFailures,
    private readonly transactions: Transactions,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  /** `inBrowser`: only in the browser that began the sign-in. */
  finish(
    request: PlatformRequest,
    { login_id, code }: FinishEmailLoginBody,
    { inBrowser }: { readonly inBrowser: boolean },
  ): Promise<PersonSession> {
    return this.counted(request, async () => {
      const browsers = inBrowser ? this.started.browserHashes(request) : null;
      const values = [login_id, MOST_TRIES, this.clock.now(), browsers];
      const [[tried]]: [EmailLogin[], number] = await this.source.query(TRY, values);
      if (tried === undefined || !this.started.isCode(tried, code)) throw unauthorized();
      return this.enter(request, tried.id);
    });
  }

  /** For the page of the link, in any browser. */
  finishByLink(request: PlatformRequest, link: string): Promise<PersonSession> {
    return this.counted(request, async () => {
      const login = await this.started.ofLink(link);
      if (login === null) throw unauthorized();
      return this.enter(request, login.id);
    });
  }

  /** What the link would sign in to. Uses nothing up. */
  shown(
    request: PlatformRequest,
    link: string,
  ): Promise<{ wanted: EmailLoginRequest; org: Org | undefined }> {
    return this.counted(request, async () => {
      const login = await this.started.ofLink(link);
      if (login === null) throw unauthorized();
      const wanted = this.started.opened(login);
      const { orgSlug } = wanted;
      const org = orgSlug === undefined ? undefined : await this.admission.org(this.source.manager, orgSlug);
      return { wanted, org };
    });
  }

  /** Beyond the limit of refused credentials of the source address, the 401 is 429. */
  private async counted<T>({ ip }: PlatformRequest, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (error) {
      throw await this.failures.answerTo(error, ip);
    }
  }

  private async enter(request: PlatformRequest, id: string): Promise<PersonSession> {
    const { correlationId, ip, headers } = request;
    const from: Request = { via: 'rest', correlationId, ip };
    const anonymous = await this.anonymousSession(request);
    return this.transactions.run(async manager => {
      const login = await this.use(manager, id);
      const { email, orgSlug } = this.started.opened(login);
      await lockEmail(manager, email);
      const { user, upgraded } = await this.account(manager, from, email, anonymous);
      if (!(await this.admission.admitsAccount(manager, user))) throw unauthorized();
      const call = callOfUser(user, from);
      if (orgSlug === undefined) await this.joinAsKnown(manager, call, email, user);
      else await this.joinOrg(manager, call, email, { user, upgraded, orgSlug });
      const userAgent = headers['user-agent'];
      return this.sessions.open(manager, call, { userId: user.id, activeOrgSlug: orgSlug, userAgent });
    });
  }

  /** Of two that use the same sign-in, the second waits for the first and finds it used. */
  private async use(manager: EntityManager, id: string): Promise<EmailLogin> {
    const { affected } = await manager.update(
      EmailLogin,
      { id, usedAt: IsNull() },
      { usedAt: this.clock.now() },
    );
    if (affected !== 1) throw unauthorized();
    return manager.findOneByOrFail(EmailLogin, { id });
  }

  /**
   * The account that has proven the address; else the anonymous account of the request, which becomes a named one; else a
   * new account. An account that only carries the address loses it.
   */
  private async account(
    manager: EntityManager,
    from: Request,
    email: string,
    anonymous: PersonSession | undefined,
  ): Promise<{ user: User; upgraded: boolean }> {
    const owner = await lockUser(manager, { ...ofEmail(email), emailVerified: true });
    if (owner !== null) return { user: owner, upgraded: false };
    const starter = anonymous && (await this.starterOf(manager, anonymous));
    // Somebody else may have opened the anonymous sessions.
    if (starter) await this.sessions.revokeAll(manager, callOfUser(starter, from), starter.id);
    return { user: await this.profiles.prove(manager, from, email, starter ?? null), upgraded: !!starter };
  }

  private async starterOf(manager: EntityManager, { id, userId }: PersonSession): Promise<User | undefined> {
    const user = await lockUser(manager, { id: userId, anonymous: true, status: 'active' });
    const alive = await manager.existsBy(Session, { id, revokedAt: IsNull() });
    return alive ? (user ?? undefined) : undefined;
  }

  /**
   * The anonymous session that the request carries. A cookie counts only with proof that a page of this platform sent the
   * request: another site could otherwise give its own address to the visitor's account.
   */
  private async anonymousSession(request: PlatformRequest): Promise<PersonSession | undefined> {
    const sent = sentOf(request);
    if (sent?.strategy !== 'jwt') return undefined;
    if (sent.fromCookie && !isFromOurPages(request.headers, this.settings)) return undefined;
    const principal = await this.jwt.principalOf(sent.raw).catch(() => undefined);
    if (principal?.anonymous !== true || principal.boundTo !== undefined || !principal.firstParty)
      return undefined;
    return (principal.sessionId && (await this.sessions.findAlive(principal.sessionId))) || undefined;
  }

  /** As for the operator's provider: invitations and join rules. */
  private joinAsKnown(manager: EntityManager, call: Call, email: string, user: User): Promise<void> {
    const person = { email, emailVerified: true, admitted: true };
    return this.federated.join(manager, call, { provider: { origin: 'file' }, person }, user);
  }

  /** Joins by an invitation to this organization, else by its sign-up. 401 when neither admits the person now. */
  private async joinOrg(
    manager: EntityManager,
    call: Call,
    email: string,
    {
      user,
      upgraded,
      orgSlug,
    }: { readonly user: User; readonly upgraded: boolean; readonly orgSlug: string },
  ): Promise<void> {
    const found = await this.admission.org(manager, orgSlug);
    if (found === undefined) throw unauthorized();
    const org = await lockOrg(manager, found.id, 'change');
    const member = { orgId: org.id, userId: user.id };
    const present = await manager.findOneBy(OrgMembership, member);
    const wasAnonymous = upgraded && present?.via === 'anonymous';
    if (present !== null && !wasAnonymous) return;
    const invited = await this.admission.invitedAs(manager, email, org.id);
    if (invited.length > 0) {
      if (wasAnonymous) await manager.delete(OrgMembership, member);
      const claim = { only: org.id, exceptOwner: this.admission.mode !== 'on' };
      await this.joining.claimInvitations(manager, call, { id: user.id, email, emailVerified: true }, claim);
      if (await manager.existsBy(OrgMembership, member)) {
        if (!(await this.admission.admitsAccount(manager, user))) throw unauthorized();
        return;
      }
    }
    if (!(await this.admission.admitsSignUp(manager, org, email, user.id))) throw unauthorized();
    await this.signUp(manager, call, org, user.id);
  }

  private async signUp(manager: EntityManager, call: Call, org: Org, userId: string): Promise<void> {
    const { roleSlug, groups = [] } = org.signUp as SignUp;
    const joining = { orgId: org.id, userId, roleSlug, via: 'signUp' } as const;
    const present = await manager.existsBy(OrgMembership, { orgId: org.id, userId });
    if (present) await this.memberships.changeRole(manager, call, joining);
    else await this.memberships.join(manager, call, joining);
    await this.joining.revokeOthers(manager, call, org.id, userId);
    if (groups.length === 0) return;
    await replaceGroups(manager, org.id, userId, groups);
    await this.audit.record(manager, call, org.id, {
      type: 'orgs.members.grouped',
      target: { type: 'user', id: userId },
      changes: { after: { groups } },
    });
  }
}

/** Signing in needs no credential, so an unusable one counts as none. */
function sentOf(request: PlatformRequest): ReturnType<typeof sentCredential> | undefined {
  try {
    return sentCredential(request);
  } catch {
    return undefined;
  }
}
