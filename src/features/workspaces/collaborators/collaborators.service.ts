import { Injectable } from '@nestjs/common';
import { ApiProperty } from '@nestjs/swagger';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { isUuid } from '../../../base/kernel/id.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import type { Queryable } from '../../../platform/database/queryable.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { NestedField, TextField } from '../../../platform/http/field.decorators.js';
import { offsetOf, type Page, type ResultList } from '../../../platform/http/list-page.js';
import { ADDRESS_COUNTS } from '../../orgs/members/membership.entity.js';
import { IdField } from '../../orgs/right.fields.js';
import { ROLE_NAME } from '../rules/workspace-rule.js';
import { hasRole } from '../security/workspace-security.service.js';
import { type Workspace, WorkspaceCollaborator } from '../workspace.entity.js';
import type { WorkspaceAccess } from '../workspace-access.js';
import { lockWorkspace } from '../workspace-rows.js';

export class CollaboratorTargetBody {
  @IdField({ optional: true, description: 'Id of the user. Send either this or `email`.' })
  id?: string;

  @TextField({
    optional: true,
    max: 320,
    description: 'E-mail address of the user. Send either this or `id`.',
    example: 'ada@example.com',
  })
  email?: string;
}

export class GrantWorkspaceRoleBody {
  @NestedField(() => CollaboratorTargetBody, {
    description: 'A member of the organization.',
    example: { email: 'owner@localhost' },
  })
  target: CollaboratorTargetBody;

  @TextField({
    max: 64,
    pattern: ROLE_NAME,
    hint: 'the form of a role name',
    description: '`owner`, `editor`, or a role of the workspace.',
    example: 'editor',
  })
  role: string;
}

class TargetView {
  @ApiProperty({ format: 'uuid' }) id: string;
  @ApiProperty({ type: String, nullable: true, example: 'ada@example.com' }) email: string | null;
}

export class CollaboratorView {
  @ApiProperty({ type: TargetView }) target: TargetView;
  @ApiProperty({ example: 'editor' }) role: string;
  @ApiProperty({ format: 'date-time' }) createdAt: Date;
}

export class CollaboratorListView {
  @ApiProperty({ type: [CollaboratorView] }) results: CollaboratorView[];
  @ApiProperty() total: number;
}

/** The collaborators of a workspace: members of its organization, each with one role. */
@Injectable()
export class Collaborators {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly audit: AuditLog,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  list({ workspace }: WorkspaceAccess, page: Page): Promise<ResultList<CollaboratorView>> {
    return collaboratorPage(this.source, workspace.id, page);
  }

  /** Sets the role of a member. 400 for a user who is not an active member, and for an unknown role. */
  grant(
    call: Call,
    { workspace }: WorkspaceAccess,
    { target, role }: GrantWorkspaceRoleBody,
  ): Promise<CollaboratorView> {
    if ((target.id === undefined) === (target.email === undefined)) {
      throw invalid('target: expects either an id or an email');
    }
    return this.transactions.run(async manager => {
      const locked = await lockWorkspace(manager, workspace);
      if (!hasRole(locked.roles, role)) throw invalid(`role: the workspace has no role ${role}`);
      const userId = await findMember(manager, locked.orgId, target);
      if (userId === undefined) throw invalid('target: expects an active member of the organization');
      const before = await collaborator(manager, locked.id, userId);
      await this.put(manager, locked, userId, role);
      const changes = { before: before && { userId, role: before.role }, after: { userId, role } };
      await this.record(manager, call, 'granted', locked, changes);
      return (await collaborator(manager, locked.id, userId)) as CollaboratorView;
    });
  }

  revoke(call: Call, { workspace }: WorkspaceAccess, userId: string): Promise<{ success: true }> {
    return this.transactions.run(async manager => {
      const locked = await lockWorkspace(manager, workspace);
      const found = isUuid(userId) ? await collaborator(manager, locked.id, userId) : undefined;
      if (found === undefined)
        throw new PlatformError('NotFound', 'The workspace has no collaborator with this id.');
      await manager.delete(WorkspaceCollaborator, { workspaceId: locked.id, userId });
      const before = { userId: found.target.id, role: found.role };
      await this.record(manager, call, 'revoked', locked, { before });
      return { success: true };
    });
  }

  private async put(
    manager: EntityManager,
    { id, orgId }: Workspace,
    userId: string,
    role: string,
  ): Promise<void> {
    await manager.query(
      `INSERT INTO workspace_collaborators (workspace_id, org_id, user_id, role, created_at)
       VALUES ($1, $2, $3, $4, $5) ON CONFLICT (workspace_id, user_id) DO UPDATE SET role = excluded.role`,
      [id, orgId, userId, role, this.clock.now()],
    );
  }

  private record(
    manager: EntityManager,
    call: Call,
    act: 'granted' | 'revoked',
    { id, orgId, slug }: Workspace,
    changes: { before?: object; after?: object },
  ): Promise<void> {
    const target = { type: 'workspace', id, name: slug };
    return this.audit.record(manager, call, orgId, {
      type: `workspaces.permissions.${act}`,
      target,
      changes,
    });
  }
}

const SELECT = `
  SELECT json_build_object('id', u.id, 'email', u.email) AS target, c.role, c.created_at AS "createdAt"
  FROM workspace_collaborators c JOIN users u ON u.id = c.user_id WHERE c.workspace_id = $1`;

/** A page of the collaborators, in the order in which they were added. */
async function collaboratorPage(
  database: Queryable,
  workspaceId: string,
  page: Page,
): Promise<ResultList<CollaboratorView>> {
  const [{ total }] = await database.query(
    'SELECT count(*)::int AS total FROM workspace_collaborators WHERE workspace_id = $1',
    [workspaceId],
  );
  const results = await database.query(`${SELECT} ORDER BY c.created_at, c.user_id LIMIT $2 OFFSET $3`, [
    workspaceId,
    page.limit,
    offsetOf(page),
  ]);
  return { results, total };
}

async function collaborator(
  database: Queryable,
  workspaceId: string,
  userId: string,
): Promise<CollaboratorView | undefined> {
  const [found] = await database.query(`${SELECT} AND c.user_id = $2`, [workspaceId, userId]);
  return found;
}

/** The id of the active member with this id or e-mail address; undefined when the organization has none. */
async function findMember(
  database: Queryable,
  orgId: string,
  { id, email }: CollaboratorTargetBody,
): Promise<string | undefined> {
  const [member] = await database.query(
    `SELECT u.id FROM org_memberships m JOIN users u ON u.id = m.user_id AND u.status = 'active'
     WHERE m.org_id = $1 AND (u.id = $2 OR (lower(u.email) = lower($3) AND ${ADDRESS_COUNTS}))
     FOR KEY SHARE OF m`,
    [orgId, id ?? null, email ?? null],
  );
  return member?.id;
}
