import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import { type EntityManager, In } from 'typeorm';
import { type Call, callOfUser } from '../../../base/kernel/call.js';
import { Clock, DAY_MS } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Settings } from '../../../platform/config/settings.js';
import { Transactions } from '../../../platform/database/transactions.js';
import type { PlatformRequest } from '../../../platform/http/platform-request.js';
import { AuthFailures } from '../../../platform/http/rate-limit/source-attempts.service.js';
import type { Language } from '../../../platform/http/request-language.js';
import { MailOutbox } from '../../../platform/mail/mail-outbox.service.js';
import { outlived, Pruning } from '../../identity/pruning.js';
import { grantorOf } from '../../orgs/grantor.js';
import { Grantors } from '../../orgs/grantors.service.js';
import { Members } from '../../orgs/members/members.service.js';
import { ADDRESS_COUNTS } from '../../orgs/members/membership.entity.js';
import { Memberships } from '../../orgs/members/memberships.service.js';
import { Providers } from '../../orgs/sso/providers.service.js';
import { lockUser } from '../federated/federated-profiles.service.js';
import { unauthorized } from '../sent-credential.js';
import type { PersonSession } from '../sessions/session.entity.js';
import { Sessions } from '../sessions/sessions.service.js';
import { RecoveryLink } from './recovery-link.entity.js';
import { recoveryMail } from './recovery-mail.js';

/** Path of the page that a link opens. */
export const RECOVERY_PATH = '/v2/login/recovery';
const NEEDED = 'orgs:members:manage';

/**
 * Finds user `$1` if organization `$2` answers for the account: the organization created it, the person has joined no other
 * organization, and no identity provider signs the person in but those of this organization. Identities of a deleted
 * provider lead nowhere, so they do not count. `$3` and `$4`: the providers of the file that have an organization.
 */
const ANSWERED_FOR = `
  SELECT FROM users u JOIN org_memberships m ON m.user_id = u.id AND m.org_id = u.home_org_id
    JOIN orgs home ON home.id = u.home_org_id
  WHERE u.id = $1 AND u.home_org_id = $2 AND u.status = 'active' AND NOT u.anonymous
    AND NOT EXISTS (
      SELECT FROM org_memberships x JOIN orgs o ON o.id = x.org_id AND o.deleted_at IS NULL
      WHERE x.user_id = u.id AND x.org_id <> $2)
    AND NOT EXISTS (
      SELECT FROM federated_identities f
        LEFT JOIN sso_providers p ON p.id::text = split_part(f.provider_id, ' ', 1)
        LEFT JOIN unnest($3::text[], $4::text[]) AS of_file (id, org_slug) ON of_file.id = f.provider_id
      WHERE f.user_id = u.id AND (
        p.org_id <> $2 OR (starts_with(f.provider_id, 'file:') AND of_file.org_slug IS DISTINCT FROM home.slug)))`;

/** One-time sign-in links for members who have lost every way to sign in. */
@Injectable()
export class RecoveryLinks {
  constructor(
    private readonly members: Members,
    private readonly memberships: Memberships,
    private readonly grantors: Grantors,
    private readonly providers: Providers,
    private readonly sessions: Sessions,
    private readonly failures: AuthFailures,
    private readonly transactions: Transactions,
    private readonly secrets: Secrets,
    private readonly settings: Settings,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
    private readonly pruning: Pruning,
    private readonly outbox: MailOutbox,
  ) {}

  /**
   * Makes a link for a member and ends the one before. Throws 404 for somebody else, and 403 for an account that the
   * organization does not answer for, for a role that the caller could not grant, and for the caller. The link is mailed to
   * an address that the account has proven or was invited by.
   */
  create(
    call: Call,
    membership: Membership,
    userId: string,
    language: Language,
  ): Promise<{ url: string; expires_at: string; mailed?: true }> {
    const { person: createdBy, ...grantor } = grantorOf(call.principal, membership);
    return this.transactions.run(async manager => {
      await this.members.changeable(manager, call, membership, userId);
      await this.assertRecoverable(manager, call, membership, userId);
      const code = randomBytes(32).toString('base64url');
      const expiresAt = new Date(this.clock.now().getTime() + DAY_MS);
      await manager.delete(RecoveryLink, { userId });
      await manager.insert(RecoveryLink, {
        secretHash: this.secrets.hash(code),
        userId,
        orgId: membership.orgId,
        ...grantor,
        createdBy,
        expiresAt,
      });
      await this.record(manager, call, membership.orgId, 'created', userId);
      const url = `${this.settings.PUBLIC_URL}${RECOVERY_PATH}?${new URLSearchParams({ code })}`;
      const mailed = await this.mail(manager, membership, { userId, url }, language);
      return { url, expires_at: expiresAt.toISOString(), ...(mailed && { mailed }) };
    });
  }

  /**
   * Signs the person of a link in, once, and ends all their other sessions. Every link that does not work gets the same
   * 401, which counts as a refused credential of the source address.
   */
  async use(request: PlatformRequest, code: string): Promise<PersonSession> {
    try {
      return await this.transactions.run(manager => this.enter(manager, request, code));
    } catch (error) {
      throw await this.failures.answerTo(error, request.ip);
    }
  }

  /** Removes expired links. Returns their number. */
  removeExpired(signal?: AbortSignal): Promise<number> {
    const expired = { entity: RecoveryLink, time: 'expiresAt', before: this.clock.now() } as const;
    return this.pruning.remove({ ...expired, event: outlived('recoverylinks') }, signal);
  }

  private async mail(
    manager: EntityManager,
    { orgId, orgName }: Membership,
    { userId, url }: { readonly userId: string; readonly url: string },
    language: Language,
  ): Promise<boolean> {
    const [found]: { email: string }[] = await manager.query(
      `SELECT u.email FROM users u JOIN org_memberships m ON m.user_id = u.id AND m.org_id = $2
       WHERE u.id = $1 AND u.email IS NOT NULL AND ${ADDRESS_COUNTS}`,
      [userId, orgId],
    );
    if (found === undefined) return false;
    return this.outbox.add(manager, recoveryMail({ to: found.email, orgId, orgName, url }, language));
  }

  private async assertRecoverable(
    manager: EntityManager,
    { principal }: Call,
    { orgId }: Membership,
    userId: string,
  ): Promise<void> {
    const user = await lockUser(manager, { id: userId });
    const isCaller = user?.id === (principal.actingUserId ?? principal.id);
    if (isCaller || !(await this.isAnsweredFor(manager, userId, orgId))) {
      throw new PlatformError(
        'Forbidden',
        'A recovery link is only for another active person whose account this organization has created, who belongs to no other organization, and who has no other identity provider to sign in with.',
      );
    }
  }

  private async enter(
    manager: EntityManager,
    { correlationId, ip, headers }: PlatformRequest,
    code: string,
  ): Promise<PersonSession> {
    const lock = { mode: 'pessimistic_write' } as const;
    const secretHash = In(this.secrets.hashes(code));
    const link = await manager.findOne(RecoveryLink, { where: { secretHash }, lock });
    if (link === null || link.expiresAt <= this.clock.now()) throw unauthorized();
    const { userId, orgId } = link;
    const user = await lockUser(manager, { id: userId });
    if (user === null || !(await this.isStillRightful(manager, link))) throw unauthorized();
    const call = callOfUser(user, { via: 'rest', correlationId, ip });
    await manager.delete(RecoveryLink, { userId });
    await this.sessions.revokeAll(manager, call, userId);
    await this.record(manager, call, orgId, 'used', userId);
    return this.sessions.open(manager, call, { userId, userAgent: headers['user-agent'] });
  }

  /** True when the organization still answers for the account, and the person who made the link could make it now. */
  private async isStillRightful(manager: EntityManager, link: RecoveryLink): Promise<boolean> {
    const { userId, orgId, createdBy } = link;
    if (!(await this.isAnsweredFor(manager, userId, orgId))) return false;
    const [member] = (await this.memberships.of(userId, manager)) as [Membership];
    return this.grantors.mayStillGrant(manager, { ...link, person: createdBy }, member, NEEDED);
  }

  /** The account must be locked: identities are linked to it under the same lock. */
  private async isAnsweredFor(manager: EntityManager, userId: string, orgId: string): Promise<boolean> {
    const ofFile = this.providers.orgsOfFile;
    const found = await manager.query(ANSWERED_FOR, [
      userId,
      orgId,
      [...ofFile.keys()],
      [...ofFile.values()],
    ]);
    return found.length > 0;
  }

  private record(
    manager: EntityManager,
    call: Call,
    orgId: string,
    act: 'created' | 'used',
    userId: string,
  ): Promise<void> {
    const target = { type: 'user', id: userId };
    return this.audit.record(manager, call, orgId, { type: `orgs.recoverylinks.${act}`, target });
  }
}
