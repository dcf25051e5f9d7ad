import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import {
  type JoinedVia,
  limitedAs,
  type Membership,
  type Principal,
} from '../../../base/kernel/principal.js';
import { unlessTaken } from '../../../base/kernel/sql-state.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import type { Queryable } from '../../../platform/database/queryable.js';
import { offsetOf, type Page, type ResultList } from '../../../platform/http/list-page.js';
import { lockOrg } from '../org-lock.js';
import type { MemberView } from './member.dto.js';
import {
  MEMBERSHIP_COLUMNS,
  MEMBERSHIP_JOINS,
  type MembershipRow,
  membershipOf,
  OrgMembership,
} from './membership.entity.js';

interface Joining {
  readonly orgId: string;
  readonly userId: string;
  readonly roleSlug: string;
}

interface NewMember extends Joining {
  /** The address by which the organization knows them. */
  readonly knownEmail?: string | null;
  readonly via?: JoinedVia;
}

const OF_USER = `SELECT ${MEMBERSHIP_COLUMNS}
  FROM org_memberships m JOIN orgs o ON o.id = m.org_id AND o.deleted_at IS NULL ${MEMBERSHIP_JOINS}
  WHERE m.user_id = $1 ORDER BY m.joined_at, m.org_id`;

/** Memberships of users in organizations. These methods do not check whether the caller may change them. */
@Injectable()
export class Memberships {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly audit: AuditLog,
  ) {}

  /**
   * The memberships of a user, in the order in which they joined. One round trip. Pass the manager when called inside
   * a transaction.
   */
  async of(userId: string, manager: EntityManager = this.source.manager): Promise<Membership[]> {
    const rows: MembershipRow[] = await manager.query(OF_USER, [userId]);
    return rows.map(membershipOf);
  }

  /** True for a person who is nothing but an app user or an anonymous member, or was before they left. */
  async onlyLimited(manager: EntityManager, principal: Principal): Promise<boolean> {
    if (principal.memberships.length > 0)
      return principal.memberships.every(each => limitedAs(principal, each) !== undefined);
    const left = await manager.query(
      'SELECT FROM org_removals WHERE user_id = $1 AND via IS NOT NULL LIMIT 1',
      [principal.id],
    );
    return left.length > 0;
  }

  /** 409 when the user is already a member. Forgets an earlier removal. */
  async join(manager: EntityManager, call: Call, member: NewMember): Promise<void> {
    const { orgId, userId, roleSlug, knownEmail = null, via = null } = member;
    await lockOrg(manager, orgId, 'keep');
    await unlessTaken(
      manager.insert(OrgMembership, { orgId, userId, roleSlug, knownEmail, via }),
      `User ${userId} is already a member.`,
    );
    await manager.query('DELETE FROM org_removals WHERE org_id = $1 AND user_id = $2', [orgId, userId]);
    await this.record(manager, call, 'orgs.members.added', orgId, userId, {
      after: { roleSlug, ...(via && { via }) },
    });
  }

  /** 409 for the only owner. The person is an ordinary member from now on, unless `via` says otherwise. */
  async changeRole(manager: EntityManager, call: Call, joining: NewMember): Promise<void> {
    const { orgId, userId, roleSlug, via = null } = joining;
    const before = await this.replaceableRole(manager, orgId, userId, roleSlug);
    await manager.update(OrgMembership, { orgId, userId }, { roleSlug, via });
    const changes = { before: { roleSlug: before }, after: { roleSlug, ...(via && { via }) } };
    await this.record(manager, call, 'orgs.members.updated', orgId, userId, changes);
  }

  /** 409 for the only owner. Join rules do not apply to the person from now on. */
  async leave(manager: EntityManager, call: Call, orgId: string, userId: string): Promise<void> {
    const roleSlug = await this.replaceableRole(manager, orgId, userId, undefined);
    await manager.query(
      `WITH removed AS (DELETE FROM org_memberships WHERE org_id = $1 AND user_id = $2 RETURNING org_id, user_id, via)
       INSERT INTO org_removals (org_id, user_id, via) SELECT org_id, user_id, via FROM removed
       ON CONFLICT (org_id, user_id) DO UPDATE SET via = excluded.via`,
      [orgId, userId],
    );
    await this.record(manager, call, 'orgs.members.removed', orgId, userId, { before: { roleSlug } });
  }

  /**
   * The current role. 409 when the only owner would lose it: the organization is locked, so that two owners cannot
   * leave at the same time.
   */
  private async replaceableRole(
    manager: EntityManager,
    orgId: string,
    userId: string,
    next: string | undefined,
  ): Promise<string> {
    await lockOrg(manager, orgId, 'change');
    const membership = await manager.findOneBy(OrgMembership, { orgId, userId });
    if (membership === null)
      throw new PlatformError('NotFound', 'The organization has no member with this id.');
    if (membership.roleSlug === 'owner' && next !== 'owner')
      await this.assertAnotherOwner(manager, membership);
    return membership.roleSlug;
  }

  private async assertAnotherOwner(manager: EntityManager, { orgId, userId }: OrgMembership): Promise<void> {
    const others = await manager.query(
      `SELECT 1 FROM org_memberships m JOIN users u ON u.id = m.user_id AND u.status = 'active'
       WHERE m.org_id = $1 AND m.user_id <> $2 AND m.role_slug = 'owner' LIMIT 1`,
      [orgId, userId],
    );
    if (others.length === 0) {
      throw new PlatformError(
        'Conflict',
        'The only owner cannot leave or change role. Make another member owner first.',
      );
    }
  }

  private record(
    manager: EntityManager,
    call: Call,
    type: string,
    orgId: string,
    userId: string,
    changes: { before?: object; after?: object },
  ): Promise<void> {
    return this.audit.record(manager, call, orgId, { type, target: { type: 'user', id: userId }, changes });
  }
}

const SELECT_MEMBERS = `
  SELECT u.id AS "userId", u.email, u.email_verified AS "emailVerified", u.first_name AS "firstName", u.last_name AS "lastName", u.status,
    m.role_slug AS "roleSlug", m.via, m.joined_at AS "joinedAt",
    ARRAY(SELECT g.group_slug FROM org_group_members g
      WHERE g.org_id = m.org_id AND g.user_id = m.user_id ORDER BY g.group_slug) AS groups
  FROM org_memberships m JOIN users u ON u.id = m.user_id
  WHERE m.org_id = $1`;

/** A page of the members, in the order in which they joined. */
export async function memberPage(
  database: Queryable,
  orgId: string,
  page: Page,
): Promise<ResultList<MemberView>> {
  const [{ total }] = await database.query(
    'SELECT count(*)::int AS total FROM org_memberships WHERE org_id = $1',
    [orgId],
  );
  const results: MemberRow[] = await database.query(
    `${SELECT_MEMBERS} ORDER BY m.joined_at, m.user_id LIMIT $2 OFFSET $3`,
    [orgId, page.limit, offsetOf(page)],
  );
  return { results: results.map(memberView), total };
}

/** Those of these users who are members, in the order in which they joined. */
export async function membersAmong(
  database: Queryable,
  orgId: string,
  userIds: readonly string[],
): Promise<MemberView[]> {
  const rows: MemberRow[] = await database.query(
    `${SELECT_MEMBERS} AND m.user_id = ANY ($2) ORDER BY m.joined_at, m.user_id`,
    [orgId, userIds],
  );
  return rows.map(memberView);
}

type MemberRow = Omit<MemberView, 'via'> & { readonly via: JoinedVia | null };

function memberView({ via, ...member }: MemberRow): MemberView {
  return { ...member, ...(via !== null && { via }) };
}

/** Sets the groups of a member; returns the slugs that do not exist. */
export async function replaceGroups(
  database: Queryable,
  orgId: string,
  userId: string,
  groups: readonly string[],
): Promise<string[]> {
  await database.query('DELETE FROM org_group_members WHERE org_id = $1 AND user_id = $2', [orgId, userId]);
  await database.query(
    `INSERT INTO org_group_members (org_id, group_slug, user_id)
     SELECT org_id, slug, $2 FROM org_groups WHERE org_id = $1 AND slug = ANY ($3)`,
    [orgId, userId, groups],
  );
  const missing = await database.query(
    `SELECT wanted.slug FROM unnest($2::text[]) AS wanted (slug)
     WHERE NOT EXISTS (SELECT 1 FROM org_groups g WHERE g.org_id = $1 AND g.slug = wanted.slug)`,
    [orgId, groups],
  );
  return missing.map(({ slug }: { slug: string }) => slug);
}
