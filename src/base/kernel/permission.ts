import type { JsonObject } from './json.js';

/** `product:action`, `product:resource:action`; `*` only as the last part. Source: platform contract, Organizations. */
export type Permission = string;

const PERMISSION = /^(\*|[a-z0-9-]+:\*|[a-z0-9-]+:[a-z0-9-]+(:([a-z0-9-]+|\*))?)$/;

/** True when the text has the form of a permission. */
export function isPermission(text: string): boolean {
  return PERMISSION.test(text);
}

/** True when one held permission covers the needed one: equal, `*`, or a `…:*` that is a prefix of it. */
export function covers(held: readonly Permission[], needed: Permission): boolean {
  return held.some(
    permission =>
      permission === needed ||
      permission === '*' ||
      (permission.endsWith(':*') && needed.startsWith(permission.slice(0, -1))),
  );
}

/**
 * The first of `wanted` that `held` does not cover; undefined when all are covered. A caller can grant only permissions
 * it holds.
 */
export function firstUncovered(
  held: readonly Permission[],
  wanted: readonly Permission[],
): Permission | undefined {
  return wanted.find(permission => !covers(held, permission));
}

/** The held permissions that remain when a credential is narrowed; with `narrowedTo` undefined, all of them. */
export function effectivePermissions(
  held: readonly Permission[],
  narrowedTo: readonly Permission[] | undefined,
): readonly Permission[] {
  if (narrowedTo === undefined) return held;
  const both = [
    ...held.filter(each => covers(narrowedTo, each)),
    ...narrowedTo.filter(each => covers(held, each)),
  ];
  return [...new Set(both)];
}

/** True when the scopes (`type:id`, `type:*`) include the resource. An empty list includes everything. */
export function scopeReaches(scopes: readonly string[], type: string, id: string): boolean {
  return (
    scopes.length === 0 ||
    scopes.some(scope => scope === '*' || scope === `${type}:*` || scope === `${type}:${id}`)
  );
}

/** Roles on a collection, weakest first. Source: collections contract, "Who may do what". */
export const COLLECTION_ROLES = ['reader', 'editor', 'admin', 'owner'] as const;
export type CollectionRole = (typeof COLLECTION_ROLES)[number];

/** The rights on a collection. Each needs at least this role, and also this permission. */
export const COLLECTION_RIGHTS = {
  read: { role: 'reader', permission: 'collections:read' },
  write: { role: 'editor', permission: 'collections:write' },
  manage: { role: 'admin', permission: 'collections:manage' },
  audit: { role: 'admin', permission: 'collections:manage' },
  share: { role: 'admin', permission: 'collections:share' },
  keys: { role: 'admin', permission: 'collections:keys' },
  webhooks: { role: 'admin', permission: 'collections:manage' },
  rename: { role: 'owner', permission: 'collections:manage' },
  delete: { role: 'owner', permission: 'collections:delete' },
} as const satisfies Record<string, { role: CollectionRole; permission: Permission }>;

export type CollectionRight = keyof typeof COLLECTION_RIGHTS;

/** The permissions that a collection key can have. */
export const COLLECTION_PERMISSIONS = [
  'collections:read',
  'collections:write',
  'collections:manage',
  'collections:share',
  'collections:keys',
  'collections:create',
  'collections:delete',
  'collections:*',
] as const;

/** True when `held` is the needed role or a stronger one. */
export function roleReaches(held: CollectionRole, needed: CollectionRole): boolean {
  return COLLECTION_ROLES.indexOf(held) >= COLLECTION_ROLES.indexOf(needed);
}

/**
 * The right that a route of workspaces needs. `list` and `create`: the route has no workspace yet. `see`: the workspace
 * is visible to the caller. `read`, `update`, `delete`: the rules of the workspace allow it. `administer`: the caller
 * owns the workspace or has `workspaces:manage`.
 */
export type WorkspaceRight = 'list' | 'create' | 'see' | 'read' | 'update' | 'delete' | 'administer';

/** Actions and subjects of the rules of a workspace. Source: platform contract, Workspaces. */
export const WORKSPACE_ACTIONS = ['manage', 'create', 'read', 'update', 'delete', 'execute'] as const;
export const WORKSPACE_SUBJECTS = ['workspaces', 'pages', 'files', 'apps', 'events', 'automations'] as const;

export type WorkspaceAction = (typeof WORKSPACE_ACTIONS)[number];
export type WorkspaceSubject = (typeof WORKSPACE_SUBJECTS)[number];

/** One grant of a workspace API key (spec 2.5); the conditions restrict it to the workspace. */
export interface WorkspaceKeyRule {
  readonly action: readonly WorkspaceAction[];
  readonly subject: WorkspaceSubject;
  readonly conditions: JsonObject;
}

/** The condition that restricts a subject to one workspace: spec 2.5. */
export function inWorkspace(subject: WorkspaceSubject, workspaceId: string): JsonObject {
  return subject === 'workspaces' ? { id: workspaceId } : { workspaceId };
}
