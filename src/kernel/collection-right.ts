import type { Permission } from './permission.js';

/** Roles on a collection, weakest first. Source: collections contract, "Who may do what". */
export const COLLECTION_ROLES = ['reader', 'editor', 'admin', 'owner'] as const;
export type CollectionRole = (typeof COLLECTION_ROLES)[number];

/** What one may do with a collection: the weakest role that may, and the permission that must be held as well. */
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

/** Every permission that may be given to a key of a collection. */
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
