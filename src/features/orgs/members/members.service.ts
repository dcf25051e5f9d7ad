import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { isUuid } from '../../../base/kernel/id.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { param, sql } from '../../../base/sql/index.js';
import { AuditLog, auditTable } from '../../../platform/audit/audit-log.js';
import { Settings } from '../../../platform/config/settings.js';
import { execute, type Queryable } from '../../../platform/database/queryable.js';
import { Transactions } from '../../../platform/database/transactions.js';
import type { Page, ResultList } from '../../../platform/http/list-page.js';
import type { Language } from '../../../platform/http/request-language.js';
import { MailOutbox } from '../../../platform/mail/mail-outbox.service.js';
import { requirePermission } from '../granting.js';
import { type AddedInvitationView, InviteView } from '../invites/invite.dto.js';
import { invitationMail } from '../invites/invite-mail.js';
import { InviteMint } from '../invites/invite-mint.service.js';
import { lockOrg } from '../org-lock.js';
import { assertSeesPeople } from '../organization.step.js';
import { sentChange } from '../right.fields.js';
import { Roles } from '../roles/roles.service.js';
import type {
  AddedMembersView,
  AddMembersBody,
  MemberView,
  RemovedMemberView,
  UpdateMemberBody,
} from './member.dto.js';
import { Memberships, memberPage, membersAmong, replaceGroups } from './memberships.service.js';

/** The members of an organization. Nobody can add, change or remove a member whose role they could not grant. */
@Injectable()
export class Members {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly memberships: Memberships,
    private readonly roles: Roles,
    private readonly inviteMint: InviteMint,
    private readonly audit: AuditLog,
    private readonly transactions: Transactions,
    private readonly settings: Settings,
    private readonly outbox: MailOutbox,
  ) {}

  list({ orgId }: Membership, page: Page): Promise<ResultList<MemberView>> {
    return memberPage(this.source, orgId, page);
  }

  /**
   * Invites all of them or none; people become members when they accept. The response is the same whether or not
   * somebody has an account. 409 for members and for people who are already invited.
   */
  async add(
    call: Call,
    membership: Membership,
    { users }: AddMembersBody,
    language: Language,
  ): Promise<AddedMembersView> {
    if (users.some(({ userId, email }) => (userId === undefined) === (email === undefined))) {
      throw invalid('users: each entry expects either a userId or an email.');
    }
    return this.transactions.run(async manager => {
      const { defaultRole } = await lockOrg(manager, membership.orgId, 'change');
      const invitations: AddedInvitationView[] = [];
      for (const { userId, email = null, roleSlug = defaultRole, groups } of users) {
        if (userId !== undefined) await assertKnown(manager, call, userId);
        const draft = { email, userId, roleSlug, groups };
        const invite = await this.inviteMint.mintWithoutCode(manager, call, membership, draft);
        invitations.push(InviteView.of(invite));
      }
      await this.mailAll(manager, membership, invitations, language);
      return { results: [], total: 0, invitations };
    });
  }

  update(call: Call, membership: Membership, userId: string, body: UpdateMemberBody): Promise<MemberView> {
    const { roleSlug, groups } = sentChange(body);
    return this.transactions.run(async manager => {
      const { orgId } = membership;
      const member = await this.changeable(manager, call, membership, userId);
      if (roleSlug !== undefined && roleSlug !== member.roleSlug) {
        await this.roles.grantableRole(manager, call, membership, roleSlug);
        await this.memberships.changeRole(manager, call, { orgId, userId, roleSlug });
      }
      if (groups !== undefined) await this.setGroups(manager, call, membership, userId, groups);
      const [view] = await membersAmong(manager, orgId, [userId]);
      return view as MemberView;
    });
  }

  /** A person may leave without a permission; removing others needs one. */
  remove(call: Call, membership: Membership, userId: string): Promise<RemovedMemberView> {
    const { principal } = call;
    const leaving = principal.id === userId && principal.narrowedTo === undefined;
    if (!leaving) {
      assertSeesPeople(principal, membership);
      requirePermission(principal, membership, 'orgs:members:manage');
    }
    return this.transactions.run(async manager => {
      if (!leaving) await this.changeable(manager, call, membership, userId);
      await this.memberships.leave(manager, call, membership.orgId, userId);
      return { success: true, webhooks: await countWebhooksOf(manager, membership.orgId, userId) };
    });
  }

  /** Tells invited people where to sign in. In the order of addresses, whose mails are locked one after another. */
  private async mailAll(
    manager: EntityManager,
    { orgId, orgName }: Membership,
    invitations: readonly AddedInvitationView[],
    language: Language,
  ): Promise<void> {
    const { CONSOLE, PUBLIC_URL } = this.settings;
    const url = CONSOLE === 'on' ? `${PUBLIC_URL}/console` : PUBLIC_URL;
    const sorted = invitations.toSorted((a, b) =>
      String(a.email).toLowerCase() < String(b.email).toLowerCase() ? -1 : 1,
    );
    for (const invitation of sorted) {
      const { email: to } = invitation;
      if (to === null) continue;
      const mail = invitationMail({ to, orgId, orgName, url, hasCode: false }, language);
      if (await this.outbox.add(manager, mail)) invitation.mailed = true;
    }
  }

  /** Locks the organization and returns the member. 403 when the caller could not grant the member's current role. */
  async changeable(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    userId: string,
  ): Promise<MemberView> {
    await lockOrg(manager, membership.orgId, 'change');
    const [member] = isUuid(userId) ? await membersAmong(manager, membership.orgId, [userId]) : [];
    if (member === undefined)
      throw new PlatformError('NotFound', 'The organization has no member with this id.');
    await this.roles.grantableRole(manager, call, membership, member.roleSlug);
    return member;
  }

  private async setGroups(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    userId: string,
    groups: string[],
  ): Promise<void> {
    requirePermission(call.principal, membership, 'orgs:groups:manage');
    const missing = await replaceGroups(manager, membership.orgId, userId, groups);
    if (missing.length > 0) throw invalid(`groups: the organization has no group ${missing.join(', ')}.`);
    await this.audit.record(manager, call, membership.orgId, {
      type: 'orgs.members.grouped',
      target: { type: 'user', id: userId },
      changes: { after: { groups } },
    });
  }
}

/** How many webhooks that the user created still exist. Only the audit log names their creators. */
async function countWebhooksOf(manager: EntityManager, orgId: string, userId: string): Promise<number> {
  const [{ webhooks }] = await execute(
    manager,
    sql`SELECT count(*)::int AS webhooks FROM webhooks WHERE org_id = ${param(orgId, 'uuid')} AND id IN (
      SELECT (changes -> 'after' ->> 'webhookId')::uuid FROM ${auditTable(orgId)}
      WHERE type = 'collections.webhooks.created' AND actor ->> 'id' = ${param(userId, 'text')})`,
  );
  return webhooks;
}

/**
 * 400 unless the user shares an organization with the caller. Ids of other users get the same response as ids that do
 * not exist.
 */
async function assertKnown(database: Queryable, { principal }: Call, userId: string): Promise<void> {
  const found = await database.query(
    `SELECT 1 FROM org_memberships m JOIN users u ON u.id = m.user_id AND u.status = 'active'
     WHERE m.user_id = $1 AND m.org_id = ANY ($2) LIMIT 1`,
    [userId, principal.memberships.map(({ orgId }) => orgId)],
  );
  if (found.length === 0) {
    throw invalid(
      `users: you do not share an organization with a user ${userId}. Invite them by e-mail address.`,
    );
  }
}
