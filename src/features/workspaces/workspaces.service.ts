import { randomBytes } from 'node:crypto';
import { Injectable } from '@nestjs/common';
import type { EntityManager } from 'typeorm';
import type { Call } from '../../base/kernel/call.js';
import { Clock } from '../../base/kernel/clock.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { newId } from '../../base/kernel/id.js';
import { scopeReaches } from '../../base/kernel/permission.js';
import {
  activeMembership,
  type Membership,
  membershipIn,
  type Principal,
} from '../../base/kernel/principal.js';
import { unlessTaken } from '../../base/kernel/sql-state.js';
import { AuditLog } from '../../platform/audit/audit-log.js';
import { Capacity } from '../../platform/database/capacity.js';
import { Transactions } from '../../platform/database/transactions.js';
import type { Page } from '../../platform/http/list-page.js';
import { requirePermission } from '../orgs/granting.js';
import { lockOrg, membershipRequired } from '../orgs/org-lock.js';
import { sentChange } from '../orgs/right.fields.js';
import { type CreateWorkspaceBody, type UpdateWorkspaceBody, WorkspaceView } from './workspace.dto.js';
import { Workspace, WorkspaceCollaborator } from './workspace.entity.js';
import { factsOf, type WorkspaceAccess, WorkspaceAccesses } from './workspace-access.js';
import { lockWorkspace } from './workspace-rows.js';

@Injectable()
export class Workspaces {
  constructor(
    private readonly accesses: WorkspaceAccesses,
    private readonly audit: AuditLog,
    private readonly transactions: Transactions,
    private readonly clock: Clock,
    private readonly capacity: Capacity,
  ) {}

  async list(call: Call, page: Page): Promise<WorkspaceView[]> {
    return (await this.accesses.readable(call, page)).map(WorkspaceView.of);
  }

  /** Creates it in the named organization, or else in the active one. A person who creates it becomes its owner. */
  create(call: Call, body: CreateWorkspaceBody): Promise<WorkspaceView> {
    const { principal } = call;
    const membership = creatingMembership(principal, body.orgSlug);
    return this.transactions.run(async manager => {
      await lockOrg(manager, membership.orgId, 'keep');
      await this.capacity.assertRoom(manager, 'workspaces', membership.orgId);
      const workspace = await this.newWorkspace(manager, membership, body);
      await insert(manager, workspace);
      await this.record(manager, call, 'created', workspace, { after: facts(workspace) });
      if (principal.type === 'user') await this.addOwner(manager, workspace, principal.id);
      return WorkspaceView.of({ ...workspace, orgSlug: membership.orgSlug });
    });
  }

  /** 403 for a field that the rules of the workspace do not let the caller change. */
  update(
    call: Call,
    { workspace, ability }: WorkspaceAccess,
    body: UpdateWorkspaceBody,
  ): Promise<WorkspaceView> {
    const change = { ...sentChange(body), updatedAt: this.clock.now() };
    for (const field of Object.keys(sentChange(body))) {
      const { allowed, reason } = ability.ask('update', 'workspaces', factsOf(workspace), field);
      if (!allowed) throw new PlatformError('Forbidden', `You are not allowed to change ${field}. ${reason}`);
    }
    return this.transactions.run(async manager => {
      const before = await lockWorkspace(manager, workspace);
      const after = manager.create(Workspace, { ...before, ...change });
      await unlessTaken(manager.update(Workspace, before.id, change), taken(after.slug));
      await this.record(manager, call, 'updated', after, { before: facts(before), after: facts(after) });
      return WorkspaceView.of({ ...after, orgSlug: workspace.orgSlug });
    });
  }

  /** Its keys and collaborators are deleted with it. */
  delete(call: Call, { workspace }: WorkspaceAccess): Promise<{ success: true }> {
    return this.transactions.run(async manager => {
      const before = await lockWorkspace(manager, workspace);
      await manager.delete(Workspace, before.id);
      await this.record(manager, call, 'deleted', before, { before: facts(before) });
      return { success: true };
    });
  }

  private async newWorkspace(
    manager: EntityManager,
    { orgId }: Membership,
    { name, slug, description = null }: CreateWorkspaceBody,
  ): Promise<Workspace> {
    const now = this.clock.now();
    return manager.create(Workspace, {
      id: newId(),
      orgId,
      slug: slug ?? (await freeSlug(manager, orgId, name)),
      name,
      description,
      roles: {},
      rules: [],
      createdAt: now,
      updatedAt: now,
    });
  }

  private async addOwner(manager: EntityManager, { id, orgId }: Workspace, userId: string): Promise<void> {
    const createdAt = this.clock.now();
    await manager.insert(WorkspaceCollaborator, { workspaceId: id, orgId, userId, role: 'owner', createdAt });
  }

  private record(
    manager: EntityManager,
    call: Call,
    act: string,
    { id, orgId, slug }: Workspace,
    changes: { before?: object; after?: object },
  ): Promise<void> {
    const target = { type: 'workspace', id, name: slug };
    return this.audit.record(manager, call, orgId, { type: `workspaces.${act}`, target, changes });
  }
}

function creatingMembership(principal: Principal, orgSlug: string | undefined): Membership {
  if (principal.workspace !== undefined) {
    throw new PlatformError('Forbidden', 'An API key of a workspace can access only its own workspace.');
  }
  const membership = orgSlug === undefined ? activeMembership(principal) : membershipIn(principal, orgSlug);
  if (membership === undefined) throw membershipRequired();
  requirePermission(principal, membership, 'workspaces:create');
  if (scopeReaches(membership.scopes, 'workspaces', '*')) return membership;
  throw new PlatformError(
    'Forbidden',
    'The scopes of this credential do not allow you to create workspaces.',
  );
}

async function insert(manager: EntityManager, workspace: Workspace): Promise<void> {
  await unlessTaken(manager.insert(Workspace, workspace as object), taken(workspace.slug));
}

/** A slug made of the name, with a random suffix when it is taken or when the name has no usable character. */
async function freeSlug(manager: EntityManager, orgId: string, name: string): Promise<string> {
  const slug = name
    .normalize('NFKD')
    .toLowerCase()
    .replace(/\p{M}/gu, '')
    .replace(/[^a-z0-9]+/g, '-')
    .slice(0, 50)
    .replace(/^-|-$/g, '');
  const free = slug !== '' && !(await manager.existsBy(Workspace, { orgId, slug }));
  return free ? slug : `${slug || 'workspace'}-${randomBytes(4).toString('hex')}`;
}

function facts({ name, slug, description }: Workspace): object {
  return { name, slug, description };
}

function taken(slug: string): string {
  return `slug: another workspace of the organization already has the slug ${slug}.`;
}
