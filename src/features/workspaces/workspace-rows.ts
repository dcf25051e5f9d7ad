import type { EntityManager } from 'typeorm';
import { PlatformError } from '../../base/kernel/errors.js';
import { isUuid } from '../../base/kernel/id.js';
import { holds, type Membership, type Principal } from '../../base/kernel/principal.js';
import type { Queryable } from '../../platform/database/queryable.js';
import { lockOrg } from '../orgs/org-lock.js';
import { Workspace } from './workspace.entity.js';

/** A workspace with the slug of its organization and the caller's role in it. */
export interface WorkspaceRow extends Workspace {
  readonly orgSlug: string;
  readonly role: string | null;
}

/** $1: organizations of the caller; $2: the workspace of its key; $3: the user. */
const SELECT = `
  SELECT w.id, w.org_id AS "orgId", w.slug, w.name, w.description, w.roles, w.rules,
    w.created_at AS "createdAt", w.updated_at AS "updatedAt", o.slug AS "orgSlug", c.role
  FROM workspaces w JOIN orgs o ON o.id = w.org_id AND o.deleted_at IS NULL
  LEFT JOIN workspace_collaborators c ON c.workspace_id = w.id AND c.user_id = $3
  WHERE (w.org_id = ANY ($1) OR w.id = $2)`;

const SLUG_PREFIX = 'slug:';

/**
 * Finds a workspace by id or `slug:{slug}` in the caller's organizations. A slug that several of them use means the
 * workspace of the active organization, then of the one joined first.
 */
export async function findWorkspace(
  database: Queryable,
  principal: Principal,
  reference: string,
): Promise<WorkspaceRow | undefined> {
  const bySlug = reference.startsWith(SLUG_PREFIX);
  const value = bySlug ? reference.slice(SLUG_PREFIX.length) : reference;
  if (bySlug ? value.includes('\0') : !isUuid(value)) return undefined;
  const rows: WorkspaceRow[] = await database.query(`${SELECT} AND w.${bySlug ? 'slug' : 'id'} = $4`, [
    ...reach(principal, bySlug ? null : value),
    value,
  ]);
  const order = orgIds(principal);
  return rows.sort((one, other) => order.indexOf(one.orgId) - order.indexOf(other.orgId))[0];
}

/** The workspaces that the caller may see, newest first. */
export function visibleWorkspaces(
  database: Queryable,
  principal: Principal,
  { offset, limit }: { readonly offset: number; readonly limit: number },
): Promise<WorkspaceRow[]> {
  const { memberships } = principal;
  const readable = memberships.filter(each => seesAll(principal, each)).map(each => each.orgId);
  const unscoped = memberships.filter(({ scopes }) => reachesAll(scopes)).map(each => each.orgId);
  const scoped = memberships.flatMap(({ scopes }) => scopes.map(scope => scope.replace('workspaces:', '')));
  return database.query(
    `${SELECT} AND (w.id = $2 OR ((w.org_id = ANY ($4) OR c.role IS NOT NULL)
      AND (w.org_id = ANY ($5) OR w.id::text = ANY ($6))))
     ORDER BY w.created_at DESC, w.id DESC LIMIT $7 OFFSET $8`,
    [...reach(principal), readable, unscoped, scoped, limit, offset],
  );
}

/** True when the caller may see all workspaces of the organization, whatever their role in them. */
export function seesAll(principal: Pick<Principal, 'narrowedTo'>, membership: Membership): boolean {
  return holds(principal, membership, 'workspaces:read') || holds(principal, membership, 'workspaces:manage');
}

function reachesAll(scopes: readonly string[]): boolean {
  return scopes.length === 0 || scopes.includes('*') || scopes.includes('workspaces:*');
}

/** $1 to $3. A workspace as a caller also finds workspaces of other organizations by id; their rules decide. */
function reach(principal: Principal, calledId: string | null = null): unknown[] {
  const { type, id, workspace } = principal;
  const called = type === 'workspace' ? calledId : null;
  return [orgIds(principal), workspace?.id ?? called, type === 'user' ? id : null];
}

/** The active organization first. */
function orgIds({ memberships, activeOrgSlug }: Principal): string[] {
  const active = memberships.filter(({ orgSlug }) => orgSlug === activeOrgSlug);
  return [...active, ...memberships.filter(each => !active.includes(each))].map(each => each.orgId);
}

/**
 * Locks the workspace and returns its current row, so that changes of it and of its rights run one after another. The
 * organization is locked first, in the same order as when an organization is deleted.
 */
export async function lockWorkspace(
  manager: EntityManager,
  { id, orgId }: Pick<Workspace, 'id' | 'orgId'>,
): Promise<Workspace> {
  await lockOrg(manager, orgId, 'keep');
  const lock = { mode: 'pessimistic_write' } as const;
  const workspace = await manager.findOne(Workspace, { where: { id }, lock });
  if (workspace === null)
    throw new PlatformError('NotFound', 'There is no workspace with this id or slug that you can see.');
  return workspace;
}
