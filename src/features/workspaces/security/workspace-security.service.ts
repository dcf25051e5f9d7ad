import { Injectable } from '@nestjs/common';
import type { Call } from '../../../base/kernel/call.js';
import { Clock } from '../../../base/kernel/clock.js';
import { invalid, PlatformError } from '../../../base/kernel/errors.js';
import { AuditLog } from '../../../platform/audit/audit-log.js';
import { Transactions } from '../../../platform/database/transactions.js';
import { type Page, pageOf, type ResultList } from '../../../platform/http/list-page.js';
import { sentFields } from '../../orgs/right.fields.js';
import { assertConditions } from '../rules/conditions.js';
import { isBuiltInRole, type WorkspaceRule } from '../rules/workspace-rule.js';
import { Workspace, WorkspaceCollaborator, type WorkspaceRoles } from '../workspace.entity.js';
import type { WorkspaceAccess } from '../workspace-access.js';
import { lockWorkspace } from '../workspace-rows.js';
import { type ReplaceSecurityBody, type RuleBody, SecurityView, WorkspaceRoleView } from './security.dto.js';

/**
 * The roles and rules of a workspace. Administrators may do everything in it, so they cannot grant more than they
 * have.
 */
@Injectable()
export class WorkspaceSecurity {
  constructor(
    private readonly audit: AuditLog,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
  ) {}

  roles({ workspace }: WorkspaceAccess, page: Page): ResultList<WorkspaceRoleView> {
    return pageOf(WorkspaceRoleView.all(workspace.roles), page);
  }

  /**
   * 400 for a rule that cannot be evaluated or names an unknown role; 409 when a collaborator has a role that is
   * removed.
   */
  replace(call: Call, { workspace }: WorkspaceAccess, body: ReplaceSecurityBody): Promise<SecurityView> {
    const { roles: sent = {}, rules: bodies = [] } = body.authorizations;
    const roles = ownRoles(sent);
    const rules = bodies.map((rule, index) => checked(rule, roles, `authorizations.rules.${index}`));
    return this.transactions.run(async manager => {
      const before = await lockWorkspace(manager, workspace);
      const workers = await manager.findBy(WorkspaceCollaborator, { workspaceId: before.id });
      const lost = workers.find(({ role }) => !hasRole(roles, role));
      if (lost !== undefined) {
        throw new PlatformError(
          'Conflict',
          `The role ${lost.role} is in use. Give its collaborators another role first.`,
        );
      }
      const change = { roles, rules, updatedAt: this.clock.now() };
      await manager.update(Workspace, before.id, change as object);
      await this.audit.record(manager, call, before.orgId, {
        type: 'workspaces.security.updated',
        target: { type: 'workspace', id: before.id, name: before.slug },
        changes: { before: { roles: before.roles, rules: before.rules }, after: { roles, rules } },
      });
      return SecurityView.of(change);
    });
  }
}

/** True for a built-in role and for one of the workspace's own. */
export function hasRole(roles: WorkspaceRoles, name: string): boolean {
  return isBuiltInRole(name) || Object.hasOwn(roles, name);
}

/** The roles without the built-in ones, which a client sends too when it returns what it has read. */
function ownRoles(sent: WorkspaceRoles): WorkspaceRoles {
  return Object.fromEntries(Object.entries(sent).filter(([name]) => !isBuiltInRole(name)));
}

function checked(body: RuleBody, roles: WorkspaceRoles, where: string): WorkspaceRule {
  const { role, conditions } = body;
  if (role !== undefined && !hasRole(roles, role)) throw invalid(`${where}.role: there is no role ${role}`);
  if (conditions !== undefined) assertConditions(conditions, `${where}.conditions`);
  return { ...sentFields(body), action: body.action, subject: body.subject };
}
