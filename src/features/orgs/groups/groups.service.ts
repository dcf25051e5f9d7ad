import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { isUuid } from '../../../base/kernel/id.js';
import type { Membership } from '../../../base/kernel/principal.js';
import { unlessTaken } from '../../../base/kernel/sql-state.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Capacity } from '../../../platform/database/capacity.js';
import { Transactions } from '../../../platform/database/transactions.js';
import type { Page, ResultList } from '../../../platform/http/list-page.js';
import { lockOrg } from '../org-lock.js';
import { sentChange } from '../right.fields.js';
import {
  type AddGroupMembersBody,
  type CreateGroupBody,
  findGroup,
  type GroupMemberView,
  type GroupView,
  groupMemberPage,
  groupMembersAmong,
  groupPage,
  joinGroup,
  leaveGroup,
  memberIds,
  type UpdateGroupBody,
} from './group-rows.js';

/** Groups of an organization's members. A collection shared with a group is shared with all its members. */
@Injectable()
export class Groups {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly audit: AuditLog,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly capacity: Capacity,
  ) {}

  list({ orgId }: Membership, page: Page): Promise<ResultList<GroupView>> {
    return groupPage(this.source, orgId, page);
  }

  async get({ orgId }: Membership, slug: string): Promise<GroupView> {
    const group = await findGroup(this.source, orgId, slug);
    if (group === undefined) throw groupNotFound();
    return group;
  }

  create(call: Call, { orgId }: Membership, { slug, name }: CreateGroupBody): Promise<GroupView> {
    const createdAt = this.clock.now();
    return this.transactions.run(async manager => {
      await lockOrg(manager, orgId, 'keep');
      await this.capacity.assertRoom(manager, 'org_groups', orgId);
      const row = [orgId, slug, name, createdAt];
      await unlessTaken(
        manager.query('INSERT INTO org_groups (org_id, slug, name, created_at) VALUES ($1, $2, $3, $4)', row),
        `slug: another group of the organization already has the slug ${slug}.`,
      );
      await this.record(manager, call, orgId, 'created', slug, { after: { name } });
      return { slug, name, memberCount: 0, createdAt };
    });
  }

  update(call: Call, { orgId }: Membership, slug: string, body: UpdateGroupBody): Promise<GroupView> {
    const { name = '' } = sentChange(body);
    return this.transactions.run(async manager => {
      const before = await this.lock(manager, orgId, slug);
      await manager.query('UPDATE org_groups SET name = $3 WHERE org_id = $1 AND slug = $2', [
        orgId,
        slug,
        name,
      ]);
      await this.record(manager, call, orgId, 'updated', slug, {
        before: { name: before.name },
        after: { name },
      });
      return { ...before, name };
    });
  }

  /** Access bindings of the group are deleted with it. */
  delete(call: Call, { orgId }: Membership, slug: string): Promise<{ success: true }> {
    return this.transactions.run(async manager => {
      const { name } = await this.lock(manager, orgId, slug);
      await manager.query('DELETE FROM org_groups WHERE org_id = $1 AND slug = $2', [orgId, slug]);
      await this.record(manager, call, orgId, 'deleted', slug, { before: { name } });
      return { success: true };
    });
  }

  async listMembers(membership: Membership, slug: string, page: Page): Promise<ResultList<GroupMemberView>> {
    await this.get(membership, slug);
    return groupMemberPage(this.source, membership.orgId, slug, page);
  }

  /** Adds all of them or none. Users who are already in the group stay in it. */
  addMembers(
    call: Call,
    { orgId }: Membership,
    slug: string,
    { users }: AddGroupMembersBody,
  ): Promise<ResultList<GroupMemberView>> {
    return this.transactions.run(async manager => {
      await this.lock(manager, orgId, slug);
      const userIds = await this.members(manager, orgId, users);
      const joined = await joinGroup(manager, orgId, slug, userIds);
      if (joined.length > 0) {
        await this.record(manager, call, orgId, 'members.added', slug, { after: { userIds: joined } });
      }
      const results = await groupMembersAmong(manager, orgId, slug, userIds);
      return { results, total: results.length };
    });
  }

  /** Removes one member, or all members when `userId` is undefined. */
  removeMembers(
    call: Call,
    { orgId }: Membership,
    slug: string,
    userId?: string,
  ): Promise<{ success: true }> {
    return this.transactions.run(async manager => {
      await this.lock(manager, orgId, slug);
      const nobody = userId !== undefined && !isUuid(userId);
      const left = nobody ? [] : await leaveGroup(manager, orgId, slug, userId);
      if (left.length > 0) {
        await this.record(manager, call, orgId, 'members.removed', slug, { before: { userIds: left } });
      } else if (userId !== undefined) {
        throw new PlatformError('NotFound', 'The group has no member with this id.');
      }
      return { success: true };
    });
  }

  /** The ids of the named users; 400 when one of them is not a member of the organization. */
  private async members(
    manager: EntityManager,
    orgId: string,
    users: AddGroupMembersBody['users'],
  ): Promise<string[]> {
    if (users.some(({ userId, email }) => (userId === undefined) === (email === undefined))) {
      throw invalid('users: each entry expects either a userId or an email.');
    }
    const ids = await memberIds(manager, orgId, users);
    return ids.map((id, index) => {
      const { userId, email } = users[index] as AddGroupMembersBody['users'][number];
      if (id === null) throw invalid(`users: ${userId ?? email} is not a member of the organization.`);
      return id;
    });
  }

  /** Returns the group. Locks the organization, so that changes of groups and memberships run one after another. */
  private async lock(manager: EntityManager, orgId: string, slug: string): Promise<GroupView> {
    await lockOrg(manager, orgId, 'change');
    const group = await findGroup(manager, orgId, slug);
    if (group === undefined) throw groupNotFound();
    return group;
  }

  private record(
    manager: EntityManager,
    call: Call,
    orgId: string,
    act: string,
    slug: string,
    changes: { before?: object; after?: object },
  ): Promise<void> {
    return this.audit.record(manager, call, orgId, {
      type: `orgs.groups.${act}`,
      target: { type: 'group', id: slug },
      changes,
    });
  }
}

function groupNotFound(): PlatformError {
  return new PlatformError('NotFound', 'The organization has no group with this slug.');
}
