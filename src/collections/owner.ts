import { PlatformError } from '../kernel/errors.js';
import type { Principal } from '../kernel/principal.js';

/**
 * Who owns what a principal creates: itself; what a key or service account without an owner creates belongs to the
 * user who minted it.
 */
export function collectionOwner(principal: Principal): { ownerType: 'user' | 'agent'; ownerId: string } {
  if (principal.type === 'user' || principal.type === 'agent') {
    return { ownerType: principal.type, ownerId: principal.id };
  }
  if (principal.createdBy === undefined) {
    throw new PlatformError(
      'Forbidden',
      'Nobody stands behind this key any more, so what it creates has no owner.',
    );
  }
  return { ownerType: 'user', ownerId: principal.createdBy };
}
