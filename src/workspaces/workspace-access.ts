import { Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Call } from '../kernel/call.js';
import { PlatformError } from '../kernel/errors.js';
import { type Page } from '../kernel/page.js';
import { scopeReaches } from '../kernel/permission.js';
import { holds, type Membership, type Principal } from '../kernel/principal.js';
import type { WorkspaceRight } from '../kernel/workspace-right.js';
import { WorkspaceAbility } from './rules/ability.js';
import { BUILT_IN_ROLES, isBuiltInRole } from './rules/built-in-roles.js';
import type { PlaceholderValues } from './rules/placeholders.js';
import { isAboutSource } from './rules/source.js';
import type { WorkspaceRule } from './rules/workspace-rule.js';
import { findWorkspace, seesAll, visibleWorkspaces, type WorkspaceRow } from './workspace-rows.js';

/** A caller's way into one workspace, decided once per request. */
export interface WorkspaceAccess {
  readonly workspace: WorkspaceRow;
  readonly ability: WorkspaceAbility;
  /** May decide who may do what in it. No rule gives that, so no rule can give more than its author has. */
  readonly administers: boolean;
}

/** 403: the caller sees the workspace, and may not do this there. */
export class WorkspaceRefusal extends PlatformError {
  constructor(
    message: string,
    readonly workspace: WorkspaceRow,
  ) {
    super('Forbidden', message);
  }
}

type Standing = Pick<WorkspaceAccess, 'administers'> & { readonly rules: readonly WorkspaceRule[] };

const READS: WorkspaceRule = { action: 'read', subject: 'workspaces', reason: 'Who sees it may read it.' };

/** Decides who may do what in a workspace, from its rows as they are now. */
@Injectable()
export class WorkspaceAccesses {
  constructor(@InjectDataSource() private readonly source: DataSource) {}

  /** Throws 404 for a workspace that is absent or invisible, 403 for one that is visible and refuses this. */
  async enter(
    { principal }: Pick<Call, 'principal'>,
    reference: string,
    right: WorkspaceRight,
  ): Promise<WorkspaceAccess> {
    const row = await findWorkspace(this.source, principal, reference);
    const access = row && accessTo(principal, row);
    if (access === undefined) throw new PlatformError('NotFound', 'There is no such workspace.');
    assertRight(access, right);
    return access;
  }

  /** A page of those the caller sees and may read, newest first. */
  async readable({ principal }: Call, page: Page): Promise<WorkspaceRow[]> {
    const rows = await visibleWorkspaces(this.source, principal, page);
    return rows.filter(row => {
      const access = accessTo(principal, row);
      return access?.ability.ask('read', 'workspaces', factsOf(row)).allowed;
    });
  }
}

/** What rules about the workspace itself can ask for. */
export function factsOf({ id, slug, name, description, orgSlug }: WorkspaceRow) {
  return { id, slug, name, description, orgSlug };
}

function assertRight({ workspace, ability, administers }: WorkspaceAccess, right: WorkspaceRight): void {
  if (right === 'administer' && !administers) {
    throw new WorkspaceRefusal(
      'This is for owners of the workspace, and for who holds workspaces:manage in its organization.',
      workspace,
    );
  }
  if (right !== 'read' && right !== 'update' && right !== 'delete') return;
  const { allowed, reason } = ability.ask(right, 'workspaces', factsOf(workspace));
  if (!allowed) throw new WorkspaceRefusal(`You may not ${right} this workspace. ${reason}`, workspace);
}

/** Undefined when the caller must not know of the workspace. */
function accessTo(principal: Principal, workspace: WorkspaceRow): WorkspaceAccess | undefined {
  const standing = standingIn(principal, workspace);
  if (standing === undefined) return undefined;
  const { rules, administers } = standing;
  const ability = new WorkspaceAbility(rules, workspace.id, placeholderValues(principal));
  if (principal.type === 'workspace' && !ability.grantsAnything) return undefined;
  return { workspace, administers, ability };
}

function standingIn(principal: Principal, workspace: WorkspaceRow): Standing | undefined {
  if (principal.workspace !== undefined) {
    const { id, rules } = principal.workspace;
    const reason = 'The API key allows it.';
    return id === workspace.id
      ? { administers: false, rules: rules.map(rule => ({ ...rule, reason })) }
      : undefined;
  }
  if (principal.type === 'workspace') return callerStanding(workspace);
  const membership = principal.memberships.find(({ orgId }) => orgId === workspace.orgId);
  return membership && scopeReaches(membership.scopes, 'workspaces', workspace.id)
    ? memberStanding(principal, membership, workspace)
    : undefined;
}

/**
 * What another workspace may do: it has no role, and a rule for everyone who sees the workspace is not about it, unless
 * its conditions are about where a call comes from.
 */
function callerStanding({ rules }: WorkspaceRow): Standing {
  const own = rules.filter(rule => rule.role === undefined && (rule.inverted || isAboutSource(rule)));
  return { administers: false, rules: own };
}

/** A role counts as far as the credential reaches: a narrowed one must name the permission. */
function memberStanding(
  principal: Principal,
  membership: Membership,
  workspace: WorkspaceRow,
): Standing | undefined {
  const reaches = (permission: string) => holds(principal, { ...membership, permissions: ['*'] }, permission);
  const acts = reaches('workspaces:manage');
  const role = acts || reaches('workspaces:read') ? workspace.role : null;
  const owns = role === 'owner' && acts;
  if (owns || holds(principal, membership, 'workspaces:manage')) {
    return { administers: true, rules: builtIn('owner') };
  }
  if (role === null && !seesAll(principal, membership)) return undefined;
  const own = workspace.rules.filter(rule => rule.role === undefined || rule.role === role);
  const rules = [READS, ...builtIn(role), ...own];
  return { administers: false, rules: acts ? rules : [READS, ...own.filter(rule => rule.inverted)] };
}

function builtIn(role: string | null): WorkspaceRule[] {
  if (role === null || !isBuiltInRole(role)) return [];
  return (BUILT_IN_ROLES[role]?.rules ?? []).map(rule => ({ ...rule, role }));
}

function placeholderValues({ type, id, sessionId }: Principal): PlaceholderValues {
  return {
    ...(type === 'user' && { 'user.id': id }),
    ...(sessionId !== undefined && { 'session.id': sessionId }),
    ...(type === 'workspace' && { 'run.sourceWorkspaceId': id }),
  };
}
