import type { CollectionInfo } from '../../../api/collection-query.js';
import { t } from '../../../i18n/language.js';

/** What a key can be allowed to do, with the right of the collection that its creator needs for it. */
const KEY_PERMISSIONS = [
  { permission: 'collections:read', right: 'read' },
  { permission: 'collections:write', right: 'write' },
  { permission: 'collections:manage', right: 'manage' },
  { permission: 'collections:delete', right: 'delete' },
] as const;

export type KeyPermission = (typeof KEY_PERMISSIONS)[number]['permission'];

/** Nobody creates a key that may do more than its creator. */
export function grantable({ my_rights }: Pick<CollectionInfo, 'my_rights'>) {
  return KEY_PERMISSIONS.filter(({ right }) => my_rights.includes(right));
}

/** What a permission of a key allows, in words; the permission itself if it is another one. */
export function permissionName(permission: string): string {
  const known = KEY_PERMISSIONS.find(each => each.permission === permission);
  return known === undefined ? permission : t(`access.right_${known.right}`);
}

/** A slug for a key of this name: what the service accepts, with some random characters because it is unique in the organization. */
export function slugFor(name: string, random: () => string): string {
  const words = name
    .normalize('NFKD')
    .replaceAll(/\p{Mark}/gu, '')
    .toLowerCase()
    .replaceAll(/[^a-z0-9]+/g, '-')
    .replaceAll(/^-+|-+$/g, '')
    .slice(0, 30);
  return `${words || 'key'}-${random()}`;
}

const DAY_SECONDS = 86_400;

/** Lifetimes to choose from, in days. */
export const LIFETIMES = [7, 30, 90, 365] as const;

/** The Unix time, in seconds, at which a key that is created now ends. */
export const endsAfter = (days: number, now: number): number => Math.floor(now / 1_000) + days * DAY_SECONDS;
