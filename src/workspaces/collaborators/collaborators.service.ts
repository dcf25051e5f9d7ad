import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource, type EntityManager } from 'typeorm';
import { AuditLog } from '../../audit/audit-log.js';
import { RightsTransaction } from '../../identity/rights-transaction.js';
import type { Call } from '../../kernel/call.js';
import { Clock } from '../../kernel/clock.js';
import { invalid, PlatformError } from '../../kernel/errors.js';
import { isUuid } from '../../kernel/id.js';
import type { Page } from '../../kernel/page.js';
import type { ResultList } from '../../orgs/result-list.js';
import { hasRole } from '../security/workspace-security.service.js';
import type { Workspace } from '../workspace.entity.js';
import type { WorkspaceAccess } from '../workspace-access.js';
import { lockWorkspace } from '../workspace-lock.js';
import type { GrantWorkspaceRoleBody } from './collaborator.dto.js';
import type { CollaboratorView } from './collaborator.view.js';
import { collaborator, collaboratorPage, memberMeant } from './collaborator-rows.js';
import { WorkspaceCollaborator } from './workspace-collaborator.entity.js';

/** Who works in a workspace: members of its organization, each in one role. */
@Injectable()
export class Collaborators {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly audit: AuditLog,
    private readonly rights: RightsTransaction,
    private readonly clock: Clock,
  ) {}

  list({ workspace }: WorkspaceAccess, page: Page): Promise<ResultList<CollaboratorView>> {
    return collaboratorPage(this.source, workspace.id, page);
  }

  /** Gives a member a role, instead of the one they had. 400 for who is no member and for a role there is not. */
  grant(
    call: Call,
    { workspace }: WorkspaceAccess,
    { target, role }: GrantWorkspaceRoleBody,
  ): Promise<CollaboratorView> {
    if ((target.id === undefined) === (target.email === undefined)) {
      throw invalid('target: expects either an id or an email');
    }
    return this.rights.run(async manager => {
      const locked = await lockWorkspace(manager, workspace);
      if (!hasRole(locked.roles, role)) throw invalid(`role: the workspace has no role ${role}`);
      const userId = await memberMeant(manager, locked.orgId, target);
      if (userId === undefined) throw invalid('target: expects an active member of the organization');
      const before = await collaborator(manager, locked.id, userId);
      await this.put(manager, locked, userId, role);
      const changes = { before: before && { userId, role: before.role }, after: { userId, role } };
      await this.record(manager, call, 'granted', locked, changes);
      return (await collaborator(manager, locked.id, userId)) as CollaboratorView;
    });
  }

  revoke(call: Call, { workspace }: WorkspaceAccess, userId: string): Promise<{ success: true }> {
    return this.rights.run(async manager => {
      const locked = await lockWorkspace(manager, workspace);
      const found = isUuid(userId) ? await collaborator(manager, locked.id, userId) : undefined;
      if (found === undefined) throw new PlatformError('NotFound', 'Nobody of this id works here.');
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
