import type { Call } from '../../kernel/call.js';
import { PlatformError } from '../../kernel/errors.js';
import { holds, type Membership, type Principal } from '../../kernel/principal.js';
import { assertMayGrant, type Rights } from '../granting.js';
import type { OrgApiKey } from './org-api-key.entity.js';

type Owned = Partial<Pick<OrgApiKey, 'ownerType' | 'ownerId'>>;

/** 403 unless the caller may have the secret of such a key in hand. */
export function assertMayHold({ principal }: Call, membership: Membership, key: Rights & Owned): void {
  if (!principal.firstParty || principal.anonymous || principal.collectionId !== undefined) {
    throw new PlatformError(
      'Forbidden',
      'This credential cannot be used to manage API keys or service accounts.',
    );
  }
  assertMayGrant(principal, membership, key);
  assertMayActAs(principal, membership, key);
}

/** Disabling and renaming give nobody anything, so they are free for every manager of keys. */
export function onlyWeakens(change: Partial<Pick<OrgApiKey, 'name' | 'disabled'>>): boolean {
  const { name, disabled, ...rest } = change;
  return disabled !== false && Object.values(rest).every(value => value === undefined);
}

/**
 * A key that acts as an agent needs `agents:act`, as acting for it by header does; one that acts as another person
 * needs `*`, since it opens what belongs to that person.
 */
function assertMayActAs(principal: Principal, membership: Membership, { ownerType, ownerId }: Owned): void {
  if (!ownerType || ownerId === principal.id) return;
  const needed = ownerType === 'agent' ? 'agents:act' : '*';
  if (!holds(principal, membership, needed)) {
    throw new PlatformError('Forbidden', `A key that acts as this ${ownerType} needs ${needed}.`);
  }
}
