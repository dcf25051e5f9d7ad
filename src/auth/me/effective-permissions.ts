import { covers, type Permission } from '../../kernel/permission.js';
import type { Membership, Principal } from '../../kernel/principal.js';

/** What the caller may do in an organization: what it holds there, within what its credential is narrowed to. */
export function effectivePermissions(
  { narrowedTo }: Pick<Principal, 'narrowedTo'>,
  { permissions }: Pick<Membership, 'permissions'>,
): Permission[] {
  if (narrowedTo === undefined) return [...permissions];
  return [
    ...new Set([
      ...permissions.filter(permission => covers(narrowedTo, permission)),
      ...narrowedTo.filter(permission => covers(permissions, permission)),
    ]),
  ];
}
