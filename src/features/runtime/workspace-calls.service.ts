import { Injectable } from '@nestjs/common';
import type { Call } from '../../base/kernel/call.js';
import { invalid, PlatformError } from '../../base/kernel/errors.js';
import type { WorkspaceRight } from '../../base/kernel/permission.js';
import type { Principal } from '../../base/kernel/principal.js';
import { AuditLog } from '../../platform/audit/audit-log.js';
import { Transactions } from '../../platform/database/transactions.js';
import { PageQuery } from '../../platform/http/list-page.js';
import { validated } from '../../platform/http/validation.pipe.js';
import type { WorkspaceAbility } from '../workspaces/rules/ability.js';
import { PermissionChecks } from '../workspaces/security/permission-checks.service.js';
import { CheckBody } from '../workspaces/security/security.dto.js';
import { WorkspaceSecurity } from '../workspaces/security/workspace-security.service.js';
import { UpdateWorkspaceBody, WorkspaceView } from '../workspaces/workspace.dto.js';
import { type WorkspaceAccess, WorkspaceAccesses, WorkspaceRefusal } from '../workspaces/workspace-access.js';
import type { WorkspaceRow } from '../workspaces/workspace-rows.js';
import { Workspaces } from '../workspaces/workspaces.service.js';
import type { CallMethod, CallWorkspaceBody } from './runtime.dto.js';
import { WorkspaceContexts } from './workspace-contexts.service.js';

/** An operation that another workspace may call. */
export interface WorkspaceOperation {
  readonly right: WorkspaceRight;
  perform(call: Call, access: WorkspaceAccess, body: unknown): unknown;
}

/**
 * The operations that one workspace may call on another. Those that change its rules are left out, because only people
 * of the target decide them; calls are left out, so that calls cannot go in a circle.
 */
@Injectable()
export class WorkspaceOperations {
  private readonly table: Readonly<Record<string, WorkspaceOperation>>;

  constructor(
    workspaces: Workspaces,
    security: WorkspaceSecurity,
    checks: PermissionChecks,
    contexts: WorkspaceContexts,
  ) {
    this.table = {
      'GET /': { right: 'read', perform: (_, { workspace }) => WorkspaceView.of(workspace) },
      'PATCH /': {
        right: 'update',
        perform: (call, access, body) =>
          workspaces.update(call, access, validated(UpdateWorkspaceBody, body ?? {})),
      },
      'DELETE /': { right: 'delete', perform: (call, access) => workspaces.delete(call, access) },
      'GET /context': { right: 'see', perform: (call, access) => contexts.of(call, access) },
      'GET /security/roles': {
        right: 'read',
        perform: (_, access) => security.roles(access, new PageQuery()),
      },
      'POST /security/check': {
        right: 'see',
        perform: (_, access, body) => checks.check(access, validated(CheckBody, body)),
      },
    };
  }

  /** The path may be full or relative to the target. Throws 400 for everything but an operation of the table. */
  find(method: CallMethod, path: string, target: string): WorkspaceOperation {
    const own = `/v2/workspaces/${target}`;
    const below = path === own || path.startsWith(`${own}/`) ? path.slice(own.length) || '/' : path;
    const name = `${method} ${below}`;
    const found = Object.hasOwn(this.table, name) ? this.table[name] : undefined;
    if (found === undefined) {
      throw invalid(
        `path: method and path together are not one of these operations: ${Object.keys(this.table).join(', ')}`,
      );
    }
    return found;
  }
}

/** A call as it was sent: by whom, and the same call with the sending workspace as its caller. */
interface SentCall {
  readonly call: Call;
  readonly asWorkspace: Call;
  readonly from: WorkspaceRow;
  readonly wanted: CallWorkspaceBody;
}

/** Calls of one workspace to another: the caller is the workspace, and the target's rules decide (spec 5.2). */
@Injectable()
export class WorkspaceCalls {
  constructor(
    private readonly transactions: Transactions,
    private readonly accesses: WorkspaceAccesses,
    private readonly operations: WorkspaceOperations,
    private readonly audit: AuditLog,
  ) {}

  /**
   * 403 for callers who may not execute automations here, and where the target's rules refuse the call; 404 where the
   * target grants this workspace nothing. Both sides record an audit event before the operation runs.
   */
  async make(
    call: Call,
    { workspace, ability }: WorkspaceAccess,
    wanted: CallWorkspaceBody,
  ): Promise<unknown> {
    const operation = this.operations.find(wanted.method, wanted.path, wanted.target);
    const asWorkspace = { ...call, principal: workspacePrincipal(call.principal, workspace) };
    const sent = { call, asWorkspace, from: workspace, wanted };
    let target: WorkspaceAccess;
    try {
      assertMayExecute(ability);
      target = await this.accesses.enter(asWorkspace, wanted.target, operation.right);
      if (target.workspace.id === workspace.id)
        throw invalid('target: must not be the calling workspace itself');
    } catch (error) {
      if (isRefusal(error)) await this.recordRefusal(sent, error);
      throw error;
    }
    await this.record(sent, target.workspace, ['workspaces.calls.made', 'workspaces.calls.received']);
    return operation.perform(asWorkspace, target, wanted.body);
  }

  /** The target records a refusal only when it knows this workspace, so that strangers cannot fill its audit log. */
  private recordRefusal(sent: SentCall, refusal: PlatformError): Promise<void> {
    const target = refusal instanceof WorkspaceRefusal ? refusal.workspace : undefined;
    return this.record(sent, target, ['workspaces.calls.refused', 'workspaces.calls.refused']);
  }

  private record(
    { call, asWorkspace, from, wanted: { target, method, path } }: SentCall,
    to: WorkspaceRow | undefined,
    [sent, received]: readonly [string, string],
  ): Promise<void> {
    const entry = {
      target: { type: 'workspace', id: to?.id ?? target, ...(to !== undefined && { name: to.slug }) },
      changes: { after: { method, path, sourceWorkspaceId: from.id } },
    };
    return this.transactions.run(async manager => {
      await this.audit.record(manager, call, from.orgId, { type: sent, ...entry });
      if (to === undefined) return;
      await this.audit.record(manager, asWorkspace, to.orgId, { type: received, ...entry });
    });
  }
}

function assertMayExecute(ability: WorkspaceAbility): void {
  const { allowed, reason } = ability.ask('execute', 'automations');
  if (allowed) return;
  throw new PlatformError(
    'Forbidden',
    `Calling another workspace needs the right to execute automations of this one. ${reason}`,
  );
}

function isRefusal(error: unknown): error is PlatformError {
  return error instanceof PlatformError && (error.status === 403 || error.status === 404);
}

/** The workspace as a caller, without the session, rights and roles of the person who sent the call. */
function workspacePrincipal(
  { credential, credentialId, expiresAt }: Principal,
  { id, slug, orgId, orgSlug }: WorkspaceRow,
): Principal {
  const none = { role: undefined, roleName: undefined, permissions: [], scopes: [], groups: [] };
  return Object.freeze({
    type: 'workspace',
    id,
    slug,
    email: null,
    anonymous: false,
    credential,
    credentialId,
    expiresAt,
    sessionId: undefined,
    firstParty: true,
    // The slug of a target is resolved in the workspace's own organization.
    memberships: [{ orgId, orgSlug, orgName: orgSlug, ...none }],
    activeOrgSlug: orgSlug,
    narrowedTo: undefined,
    collectionId: undefined,
    createdBy: undefined,
  });
}
