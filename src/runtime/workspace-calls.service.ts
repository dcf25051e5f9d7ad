import { Injectable } from '@nestjs/common';
import type { Call } from '../kernel/call.js';
import { invalid, PlatformError } from '../kernel/errors.js';
import type { Principal } from '../kernel/principal.js';
import type { WorkspaceRight } from '../kernel/workspace-right.js';
import type { WorkspaceAbility } from '../workspaces/rules/ability.js';
import { type WorkspaceAccess, WorkspaceAccesses } from '../workspaces/workspace-access.js';
import type { WorkspaceRow } from '../workspaces/workspace-rows.js';
import type { CallWorkspaceBody } from './call.dto.js';
import { type AskedCall, WorkspaceCallLog } from './workspace-call-log.service.js';
import { WorkspaceOperations } from './workspace-operations.service.js';

/** Calls of one workspace to another: the caller is the workspace, and the target's rules decide (spec 5.2). */
@Injectable()
export class WorkspaceCalls {
  constructor(
    private readonly accesses: WorkspaceAccesses,
    private readonly operations: WorkspaceOperations,
    private readonly log: WorkspaceCallLog,
  ) {}

  /** 403 for who may not run automations here, and where the target refuses; 404 where it does not know this workspace. */
  async make(call: Call, access: WorkspaceAccess, wanted: CallWorkspaceBody): Promise<unknown> {
    const operation = this.operations.find(wanted.method, wanted.path, wanted.target);
    const from = access.workspace;
    const asWorkspace = { ...call, principal: workspacePrincipal(call.principal, from) };
    const asked = { call, asWorkspace, from, wanted };
    const entered = await this.enter(asked, access.ability, operation.right).catch(async refusal => {
      if (isRefusal(refusal)) await this.log.refused(asked, refusal);
      throw refusal;
    });
    await this.log.made(asked, entered.workspace);
    return operation.perform(asWorkspace, entered, wanted.body);
  }

  private async enter(
    { asWorkspace, from, wanted }: AskedCall,
    ability: WorkspaceAbility,
    right: WorkspaceRight,
  ): Promise<WorkspaceAccess> {
    const { allowed, reason } = ability.ask('execute', 'automations');
    if (!allowed) {
      throw new PlatformError(
        'Forbidden',
        `Calls take the right to execute automations of the workspace. ${reason}`,
      );
    }
    const entered = await this.accesses.enter(asWorkspace, wanted.target, right);
    if (entered.workspace.id === from.id) throw invalid('target: is this workspace itself');
    return entered;
  }
}

function isRefusal(error: unknown): boolean {
  return error instanceof PlatformError && (error.status === 403 || error.status === 404);
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
