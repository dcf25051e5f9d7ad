import { Injectable } from '@nestjs/common';
import { InjectRepository } from '@nestjs/typeorm';
import { type EntityManager, In, Repository } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Secrets } from '../../../platform/config/secrets.js';
import { Transactions } from '../../../platform/database/transactions.js';
import type { User } from '../../identity/identity.entity.js';
import { Grantors } from '../grantors.service.js';
import type { MemberView } from '../members/member.dto.js';
import { OrgMembership } from '../members/membership.entity.js';
import { Memberships, membersAmong, replaceGroups } from '../members/memberships.service.js';
import { lockOrg } from '../org-lock.js';
import { Roles } from '../roles/roles.service.js';
import type { JoinedOrgView } from './invite.dto.js';
import { OrgInvite } from './invite.entity.js';
import { inviteEvent } from './invite-mint.service.js';
import { inviteNotFound, OwnInvitations } from './own-invitations.service.js';

/** Open invitations of an e-mail address, ordered by organization so that concurrent claims lock in the same order. */
const OF_EMAIL = `
  SELECT i.id, i.org_id FROM org_invites i JOIN orgs o ON o.id = i.org_id AND o.deleted_at IS NULL
  WHERE lower(i.email) = lower($1) AND i.uses = 0 AND (i.expires_at IS NULL OR i.expires_at > $2)
    AND ($3::uuid IS NULL OR i.org_id = $3) AND (NOT $4 OR i.role_slug <> 'owner')
  ORDER BY i.org_id`;

/** Joins users to organizations by invitations. */
@Injectable()
export class Joining {
  constructor(
    @InjectRepository(OrgInvite) private readonly invites: Repository<OrgInvite>,
    private readonly own: OwnInvitations,
    private readonly memberships: Memberships,
    private readonly roles: Roles,
    private readonly grantors: Grantors,
    private readonly transactions: Transactions,
    private readonly secrets: Secrets,
    private readonly clock: Clock,
    private readonly audit: AuditLog,
  ) {}

  /** 409 for a member. The 404 is the same for every code that cannot be used, whatever the reason. */
  async join(call: Call, code: string): Promise<JoinedOrgView> {
    if (call.principal.anonymous) {
      throw new PlatformError('Forbidden', 'An anonymous user cannot accept invitations. Sign in first.');
    }
    const invite = await this.invites.findOneBy({ codeHash: In(this.secrets.hashes(code)) });
    if (invite === null || !isFor(invite, call.principal.email)) throw inviteNotFound();
    return this.enter(call, invite);
  }

  /**
   * The invitation of a code, for a person who has no account yet. The 404 is the same for every code that such a person
   * cannot use. It does not depend on who has an account: the inviter sees the code too, and could ask for any address.
   */
  async findForNewcomer(code: string): Promise<OrgInvite> {
    const [found]: { id: string }[] = await this.invites.query(
      `SELECT i.id FROM org_invites i JOIN orgs o ON o.id = i.org_id AND o.deleted_at IS NULL
       WHERE i.code_hash = ANY ($1) AND i.uses < i.max_uses AND (i.expires_at IS NULL OR i.expires_at > $2)`,
      [this.secrets.hashes(code), this.clock.now()],
    );
    const { manager } = this.invites;
    const invite = found && (await this.findById(manager, found.id));
    if (invite === undefined || !(await this.isGrantable(manager, invite))) throw inviteNotFound();
    return invite;
  }

  /** 404 when the invitation was revoked. */
  async findById(manager: EntityManager, id: string): Promise<OrgInvite> {
    const invite = await manager.findOneBy(OrgInvite, { id });
    if (invite === null) throw inviteNotFound();
    return invite;
  }

  /** Joins a user whom the caller's transaction has created. 404 when the invitation can no longer be used. */
  async joinNewcomer(
    manager: EntityManager,
    call: Call,
    { id, orgId }: OrgInvite,
    userId: string,
  ): Promise<void> {
    const isThere = await lockOrg(manager, orgId, 'change').catch(error => {
      if (error instanceof PlatformError) return undefined;
      throw error;
    });
    if (isThere === undefined || !(await this.accept(manager, call, id, userId))) throw inviteNotFound();
  }

  /** Accepts an invitation by its id, as the person it names. The errors are those of `join`. */
  async acceptOwn(call: Call, id: string): Promise<JoinedOrgView> {
    const invite = await this.own.find(call, id);
    if (invite === undefined) throw inviteNotFound();
    return this.enter(call, invite);
  }

  private enter(call: Call, { id, orgId }: OrgInvite): Promise<JoinedOrgView> {
    const userId = call.principal.id;
    return this.transactions.run(async manager => {
      const { slug, name } = await lockOrg(manager, orgId, 'change');
      if (await manager.existsBy(OrgMembership, { orgId, userId })) {
        throw new PlatformError('AlreadyExists', 'You are already a member of this organization.');
      }
      if (!(await this.accept(manager, call, id, userId))) throw inviteNotFound();
      const [member] = await membersAmong(manager, orgId, [userId]);
      const { roleSlug, groups } = member as MemberView;
      return { slug, name, roleSlug, groups };
    });
  }

  /**
   * Joins a user, in the caller's transaction, to every organization that has invited their verified e-mail address.
   * `only` limits it to one organization; `exceptOwner` skips invitations as owner.
   */
  async claimInvitations(
    manager: EntityManager,
    call: Call,
    { id: userId, email, emailVerified }: Pick<User, 'id' | 'email' | 'emailVerified'>,
    { only, exceptOwner = false }: { only?: string | undefined; exceptOwner?: boolean } = {},
  ): Promise<void> {
    if (email === null || !emailVerified) return;
    const open: { id: string; org_id: string }[] = await manager.query(OF_EMAIL, [
      email,
      this.clock.now(),
      only ?? null,
      exceptOwner,
    ]);
    for (const { id, org_id } of open) {
      await lockOrg(manager, org_id, 'change');
      const member = await manager.existsBy(OrgMembership, { orgId: org_id, userId });
      if (!member) await this.accept(manager, call, id, userId);
    }
  }

  /**
   * Uses the invitation once for the user; false when it is used up, expired or revoked, when this user has used it
   * before, or when it grants more than its inviter could grant now. The caller has locked the organization.
   */
  private async accept(manager: EntityManager, call: Call, id: string, userId: string): Promise<boolean> {
    const invite = await manager.findOneBy(OrgInvite, { id });
    if (invite === null || !(await this.isGrantable(manager, invite))) return false;
    if (!(await this.use(manager, invite, userId))) return false;
    const { orgId, roleSlug, groups, email: knownEmail } = invite;
    await this.memberships.join(manager, call, { orgId, userId, roleSlug, knownEmail });
    if (groups.length > 0) await replaceGroups(manager, orgId, userId, groups);
    const used = { ...invite, uses: invite.uses + 1 };
    await this.audit.record(manager, call, orgId, inviteEvent('accepted', used));
    await this.revokeOthers(manager, call, orgId, userId);
    return true;
  }

  /** Revokes the other open invitations of a new member, who could otherwise return by one after being removed. */
  async revokeOthers(manager: EntityManager, call: Call, orgId: string, userId: string): Promise<void> {
    const left: { id: string }[] = await manager.query(
      `SELECT i.id FROM org_invites i JOIN users u ON u.id = $2
       WHERE i.org_id = $1 AND i.uses = 0
         AND (i.user_id = u.id OR (u.email_verified AND lower(i.email) = lower(u.email)))`,
      [orgId, userId],
    );
    for (const { id } of left) {
      const invite = await manager.findOneByOrFail(OrgInvite, { id });
      await manager.delete(OrgInvite, { id });
      await this.audit.record(manager, call, orgId, inviteEvent('revoked', invite));
    }
  }

  /**
   * The conditions are part of the update, so that concurrent requests cannot exceed `maxUses`. Nobody uses an invitation
   * twice: a member who was removed would return by it.
   */
  private async use(manager: EntityManager, { id }: OrgInvite, userId: string): Promise<boolean> {
    const used: unknown[] = await manager.query(
      `WITH used AS (
         UPDATE org_invites i SET uses = uses + 1
         WHERE id = $1 AND uses < max_uses AND (expires_at IS NULL OR expires_at > $2)
           AND NOT EXISTS (SELECT FROM org_invite_uses u WHERE u.invite_id = i.id AND u.user_id = $3)
         RETURNING id)
       INSERT INTO org_invite_uses (invite_id, user_id) SELECT id, $3 FROM used RETURNING invite_id`,
      [id, this.clock.now(), userId],
    );
    return used.length > 0;
  }

  /** False when the inviter has left, when the credential has ended, or when they could no longer grant the role. */
  private async isGrantable(manager: EntityManager, invite: OrgInvite): Promise<boolean> {
    const role = await this.roles.find(manager, invite.orgId, invite.roleSlug);
    if (role === undefined) return false;
    const { slug, permissions, scopes } = role;
    const made = { ...invite, person: invite.invitedBy };
    return this.grantors.mayStillGrant(manager, made, { role: slug, permissions, scopes });
  }
}

/** False for an invitation with another person's e-mail address, even when the caller has its code. */
function isFor(invite: OrgInvite, email: string | null): boolean {
  return invite.email === null || invite.email.toLowerCase() === email?.toLowerCase();
}
