import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import { RightsTransaction } from '../../identity/rights-transaction.js';
import { Users } from '../../identity/users.service.js';
import type { Call } from '../../kernel/call.js';
import { invalid, PlatformError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/id.js';
import type { Page } from '../../kernel/page.js';
import { holds, type Membership } from '../../kernel/principal.js';
import { InviteView } from '../invites/invite.view.js';
import { InviteMint } from '../invites/invite-mint.service.js';
import { Memberships } from '../memberships/memberships.service.js';
import { lockOrg } from '../org-lock.js';
import type { ResultList } from '../result-list.js';
import { Roles } from '../roles/roles.service.js';
import { sentChange } from '../sent-fields.js';
import type { AddMembersBody, NewMemberBody, UpdateMemberBody } from './member.dto.js';
import type { AddedMembersView, MemberView } from './member.view.js';
import { memberPage, membersAmong, replaceGroups } from './member-rows.js';

/** Who belongs to an organization. Nobody adds, changes or removes a member whose role is beyond their own. */
@Injectable()
export class Members {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly users: Users,
    private readonly memberships: Memberships,
    private readonly roles: Roles,
    private readonly inviteMint: InviteMint,
    private readonly audit: AuditLog,
    private readonly rights: RightsTransaction,
  ) {}

  list({ orgId }: Membership, page: Page): Promise<ResultList<MemberView>> {
    return memberPage(this.source, orgId, page);
  }

  /** All of them or none. Whose e-mail address nobody here has joins by signing in with it, verified. */
  async add(call: Call, membership: Membership, { users }: AddMembersBody): Promise<AddedMembersView> {
    const known: (string | undefined)[] = [];
    for (const user of users) known.push(await this.userIdOf(user));
    return this.rights.run(async manager => {
      const { defaultRole } = await lockOrg(manager, membership.orgId, 'change');
      const invitations: InviteView[] = [];
      for (const [index, { email = '', roleSlug = defaultRole, groups }] of users.entries()) {
        const userId = known[index];
        if (userId !== undefined) await this.join(manager, call, membership, { userId, roleSlug, groups });
        else {
          const invite = await this.inviteMint.expect(manager, call, membership, { email, roleSlug, groups });
          invitations.push(InviteView.of(invite));
        }
      }
      const userIds = known.filter(id => id !== undefined);
      const results = await membersAmong(manager, membership.orgId, userIds);
      return { results, total: results.length, invitations };
    });
  }

  update(call: Call, membership: Membership, userId: string, body: UpdateMemberBody): Promise<MemberView> {
    const { roleSlug, groups } = sentChange(body);
    return this.rights.run(async manager => {
      const { orgId } = membership;
      const member = await this.changeable(manager, call, membership, userId);
      if (roleSlug !== undefined && roleSlug !== member.roleSlug) {
        await this.roles.grantable(manager, call, membership, roleSlug);
        await this.memberships.changeRole(manager, call, { orgId, userId, roleSlug });
      }
      if (groups !== undefined) await this.setGroups(manager, call, membership, userId, groups);
      const [view] = await membersAmong(manager, orgId, [userId]);
      return view as MemberView;
    });
  }

  /** A person may leave by themselves; removing others needs the permission. */
  remove(call: Call, membership: Membership, userId: string): Promise<{ success: true }> {
    const { principal } = call;
    const leaving = principal.id === userId && principal.narrowedTo === undefined;
    if (!leaving) requirePermission(call, membership, 'orgs:members:manage');
    return this.rights.run(async manager => {
      if (!leaving) await this.changeable(manager, call, membership, userId);
      await this.memberships.leave(manager, call, membership.orgId, userId);
      return { success: true };
    });
  }

  /** The member as it is now, with the organization locked: their present role is one the caller could give. */
  private async changeable(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    userId: string,
  ): Promise<MemberView> {
    await lockOrg(manager, membership.orgId, 'change');
    const [member] = isUuid(userId) ? await membersAmong(manager, membership.orgId, [userId]) : [];
    if (member === undefined) throw new PlatformError('NotFound', 'There is no such member.');
    await this.roles.grantable(manager, call, membership, member.roleSlug);
    return member;
  }

  private async join(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    { userId, roleSlug, groups }: { userId: string; roleSlug: string; groups: string[] | undefined },
  ): Promise<void> {
    await this.roles.grantable(manager, call, membership, roleSlug);
    await this.memberships.join(manager, call, { orgId: membership.orgId, userId, roleSlug });
    if (groups !== undefined) await this.setGroups(manager, call, membership, userId, groups);
  }

  private async setGroups(
    manager: EntityManager,
    call: Call,
    membership: Membership,
    userId: string,
    groups: string[],
  ): Promise<void> {
    requirePermission(call, membership, 'orgs:groups:manage');
    const missing = await replaceGroups(manager, membership.orgId, userId, groups);
    if (missing.length > 0) throw invalid(`groups: the organization has no group ${missing.join(', ')}.`);
    await this.audit.record(manager, call, membership.orgId, {
      type: 'orgs.members.grouped',
      target: { type: 'user', id: userId },
      changes: { after: { groups } },
    });
  }

  /** Undefined for an e-mail address that nobody here has. */
  private async userIdOf({ userId, email }: NewMemberBody): Promise<string | undefined> {
    if ((userId === undefined) === (email === undefined)) {
      throw invalid('users: each entry names either a userId or an email.');
    }
    const user =
      userId === undefined ? await this.users.findByEmail(email as string) : await this.users.find(userId);
    if (user === undefined && email !== undefined) return undefined;
    if (user?.status === 'active') return user.id;
    throw invalid(`users: there is no user ${userId ?? email}.`);
  }
}

function requirePermission({ principal }: Call, membership: Membership, permission: string): void {
  if (holds(principal, membership, permission)) return;
  throw new PlatformError('Forbidden', `This needs the permission ${permission} in the organization.`);
}
