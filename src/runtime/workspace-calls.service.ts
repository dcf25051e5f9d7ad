import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import { AuditLog } from '../audit/audit-log.js';
import type { Call } from '../kernel/call.js';
import { invalid, PlatformError } from '../kernel/errors.js';
import type { Principal } from '../kernel/principal.js';
import { type WorkspaceAccess, WorkspaceAccesses } from '../workspaces/workspace-access.js';
import type { WorkspaceRow } from '../workspaces/workspace-rows.js';
import type { CallWorkspaceBody } from './call.dto.js';
import { WorkspaceOperations } from './workspace-operations.service.js';

/** Calls of one workspace to another: the caller is the workspace, and the target's rules decide (spec 5.2). */
@Injectable()
export class WorkspaceCalls {
  constructor(
    @InjectDataSource() private readonly source: DataSource,
    private readonly accesses: WorkspaceAccesses,
    private readonly operations: WorkspaceOperations,
    private readonly audit: AuditLog,
  ) {}

  /** 403 for who may not run automations here, and where the target refuses; 404 where it does not know this workspace. */
  async make(
    call: Call,
    { workspace, ability }: WorkspaceAccess,
    wanted: CallWorkspaceBody,
  ): Promise<unknown> {
    const { target, method, path, body } = wanted;
    const operation = this.operations.find(method, path, target);
    const { allowed, reason } = ability.ask('execute', 'automations');
    if (!allowed) {
      throw new PlatformError(
        'Forbidden',
        `Calls take the right to execute automations of the workspace. ${reason}`,
      );
    }
    const asWorkspace = { ...call, principal: workspacePrincipal(call.principal, workspace) };
    const access = await this.accesses.enter(asWorkspace, target, operation.right);
    if (access.workspace.id === workspace.id) throw invalid('target: is this workspace itself');
    await this.record(call, asWorkspace, workspace, access.workspace, { method, path });
    return operation.perform(asWorkspace, access, body);
  }

  /** On both sides: who had the call made, and which workspace it came from. */
  private record(
    call: Call,
    asWorkspace: Call,
    from: WorkspaceRow,
    to: WorkspaceRow,
    operation: object,
  ): Promise<void> {
    const target = { type: 'workspace', id: to.id, name: to.slug };
    return this.source.transaction(async manager => {
      await this.audit.record(manager, call, from.orgId, {
        type: 'workspaces.calls.made',
        target,
        changes: { after: { ...operation, sourceWorkspaceId: from.id } },
      });
      await this.audit.record(manager, asWorkspace, to.orgId, {
        type: 'workspaces.calls.received',
        target,
        changes: { after: { ...operation, sourceWorkspaceId: from.id } },
      });
    });
  }
}

/** The workspace as a caller: no person's session, rights or roles go with it. */
function workspacePrincipal(
  { credential, credentialId, expiresAt }: Principal,
  { id, slug, orgId, orgSlug }: WorkspaceRow,
): Principal {
  const none = { role: undefined, roleName: undefined, permissions: [], scopes: [], groups: [] };
  return Object.freeze({
    type: 'workspace',
    ...{ id, slug, email: null, anonymous: false },
    ...{ credential, credentialId, expiresAt, sessionId: undefined, firstParty: true },
    // Slugs of targets are looked for in its organization.
    memberships: [{ orgId, orgSlug, orgName: orgSlug, ...none }],
    activeOrgSlug: orgSlug,
    narrowedTo: undefined,
    collectionId: undefined,
    createdBy: undefined,
  });
}
