import { createParamDecorator, type ExecutionContext, Injectable } from '@nestjs/common';
import { InjectDataSource } from '@nestjs/typeorm';
import { DataSource } from 'typeorm';
import type { Call } from '../../base/kernel/call.js';
import { PlatformError } from '../../base/kernel/errors.js';
import { scopeReaches, type WorkspaceRight } from '../../base/kernel/permission.js';
import { holds, type Membership, type Principal } from '../../base/kernel/principal.js';
import { type Check, type Route, WorkspaceStep } from '../../platform/http/access/access-step.js';
import { offsetOf, type Page } from '../../platform/http/list-page.js';
import { callOf, type PlatformRequest } from '../../platform/http/platform-request.js';
import { WorkspaceAbility } from './rules/ability.js';
import type { PlaceholderValues } from './rules/conditions.js';
import { isAboutSource } from './rules/run-conditions.js';
import { BUILT_IN_ROLES, isBuiltInRole, type WorkspaceRule } from './rules/workspace-rule.js';
import { findWorkspace, seesAll, visibleWorkspaces, type WorkspaceRow } from './workspace-rows.js';

/** Parameter: the caller's access to the workspace of the path. */
export const AccessedWorkspace = createParamDecorator(
  (_: unknown, context: ExecutionContext) =>
    context.switchToHttp().getRequest<PlatformRequest>().access as WorkspaceAccess,
);

/** What a caller may do in one workspace, decided once per request. */
export interface WorkspaceAccess {
  readonly workspace: WorkspaceRow;
  readonly ability: WorkspaceAbility;
  /** May change roles, rules and keys. No rule grants this, so nobody can grant more than they have. */
  readonly administers: boolean;
}

/** 403: the caller sees the workspace but may not do this in it. */
export class WorkspaceRefusal extends PlatformError {
  constructor(
    message: string,
    readonly workspace: WorkspaceRow,
  ) {
    super('Forbidden', message);
  }
}

/** The part of a caller that decides what they may do in a workspace. */
type Rightful = Pick<Principal, 'type' | 'id' | 'sessionId' | 'narrowedTo' | 'memberships' | 'workspace'>;

/** The rules that apply to a caller in a workspace. */
interface CallerRules {
  readonly administers: boolean;
  readonly rules: readonly WorkspaceRule[];
}

const READS: WorkspaceRule = {
  action: 'read',
  subject: 'workspaces',
  reason: 'Everyone who can see the workspace can read it.',
};

/** Decides what a caller may do in a workspace, from the current rows. */
@Injectable()
export class WorkspaceAccesses {
  constructor(@InjectDataSource() private readonly source: DataSource) {}

  /**
   * Throws 404 for a workspace that does not exist or that the caller may not see, and 403 for one that they see but
   * that refuses this right.
   */
  async enter(
    { principal }: Pick<Call, 'principal'>,
    reference: string,
    right: WorkspaceRight,
  ): Promise<WorkspaceAccess> {
    const row = await findWorkspace(this.source, principal, reference);
    const access = row && accessTo(principal, row);
    if (access === undefined)
      throw new PlatformError('NotFound', 'There is no workspace with this id or slug that you can see.');
    assertRight(access, right);
    return access;
  }

  /** A page of the workspaces that the caller may read, newest first. Rules are evaluated here, so it reads from the start. */
  async readable({ principal }: Call, page: Page): Promise<WorkspaceRow[]> {
    const first = offsetOf(page);
    const readable: WorkspaceRow[] = [];
    for (let offset = 0; readable.length < first + page.limit; offset += AT_ONCE) {
      const rows = await visibleWorkspaces(this.source, principal, { offset, limit: AT_ONCE });
      readable.push(...rows.filter(row => isReadable(principal, row)));
      if (rows.length < AT_ONCE) break;
    }
    return readable.slice(first, first + page.limit);
  }
}

/** Workspaces that a list reads with one statement. */
const AT_ONCE = 200;

function isReadable(principal: Principal, row: WorkspaceRow): boolean {
  return accessTo(principal, row)?.ability.ask('read', 'workspaces', factsOf(row)).allowed === true;
}

/** The fields that rules about the workspace itself can test. */
export function factsOf({ id, slug, name, description, orgSlug }: WorkspaceRow) {
  return { id, slug, name, description, orgSlug };
}

function assertRight({ workspace, ability, administers }: WorkspaceAccess, right: WorkspaceRight): void {
  if (right === 'administer' && !administers) {
    throw new WorkspaceRefusal(
      'Only owners of the workspace and holders of workspaces:manage in its organization may do this.',
      workspace,
    );
  }
  if (right !== 'read' && right !== 'update' && right !== 'delete') return;
  const { allowed, reason } = ability.ask(right, 'workspaces', factsOf(workspace));
  if (!allowed)
    throw new WorkspaceRefusal(`You are not allowed to ${right} this workspace. ${reason}`, workspace);
}

/** Undefined when the caller may not see the workspace. */
export function accessTo(principal: Rightful, workspace: WorkspaceRow): WorkspaceAccess | undefined {
  const applying = rulesFor(principal, workspace);
  if (applying === undefined) return undefined;
  const { rules, administers } = applying;
  const ability = new WorkspaceAbility(rules, workspace.id, placeholderValues(principal));
  if (principal.type === 'workspace' && !ability.grantsAnything) return undefined;
  return { workspace, administers, ability };
}

function rulesFor(principal: Rightful, workspace: WorkspaceRow): CallerRules | undefined {
  if (principal.workspace !== undefined) {
    const { id, rules } = principal.workspace;
    const reason = 'The API key allows it.';
    return id === workspace.id
      ? { administers: false, rules: rules.map(rule => ({ ...rule, reason })) }
      : undefined;
  }
  if (principal.type === 'workspace') return rulesForWorkspace(workspace);
  const membership = principal.memberships.find(({ orgId }) => orgId === workspace.orgId);
  return membership && scopeReaches(membership.scopes, 'workspaces', workspace.id)
    ? rulesForMember(principal, membership, workspace)
    : undefined;
}

/**
 * What another workspace may do as a caller. It has no role. A rule for everyone applies to it when it forbids, or when
 * its conditions name the source of the call.
 */
function rulesForWorkspace({ rules }: WorkspaceRow): CallerRules {
  const own = rules.filter(rule => rule.role === undefined && (rule.inverted || isAboutSource(rule)));
  return { administers: false, rules: own };
}

/** A credential with narrowed permissions must name workspaces:manage or workspaces:read for the role to count. */
function rulesForMember(
  principal: Rightful,
  membership: Membership,
  workspace: WorkspaceRow,
): CallerRules | undefined {
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

function placeholderValues({ type, id, sessionId }: Rightful): PlaceholderValues {
  return {
    ...(type === 'user' && { 'user.id': id }),
    ...(sessionId !== undefined && { 'session.id': sessionId }),
    ...(type === 'workspace' && { 'run.sourceWorkspaceId': id }),
  };
}

/** Enforces `@Requires({ workspace })`: 404 before 403, both before the body is read. */
@Injectable()
export class WorkspaceRequirements extends WorkspaceStep {
  constructor(private readonly accesses: WorkspaceAccesses) {
    super();
  }

  checkFor({ requirement }: Route): Check | undefined {
    if (!('workspace' in requirement)) return undefined;
    const { workspace: right } = requirement;
    return request => {
      const call = callOf(request);
      if (call.principal.collectionId !== undefined) {
        throw new PlatformError(
          'Forbidden',
          'An API key of a collection can access only its own collection.',
        );
      }
      if (right === 'list' || right === 'create') return undefined;
      return this.accesses.enter(call, request.params.workspaceId as string, right).then(access => {
        request.access = access;
        request.orgId = access.workspace.orgId;
      });
    };
  }
}
