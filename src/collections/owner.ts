import { PlatformError } from '../kernel/errors.js';
import type { Principal } from '../kernel/principal.js';
import type { OwnerRef } from './list-collections.js';

/**
 * Who owns what a principal creates: itself; what a key or service account without an owner creates belongs to the
 * user who minted it.
 */
export function collectionOwner(principal: Principal): OwnerRef {
  const owner = ownerFor(principal);
  if (owner !== undefined) return owner;
  throw new PlatformError(
    'Forbidden',
    'Nobody stands behind this key any more, so what it creates has no owner.',
  );
}

/** The same; undefined when nobody stands behind the key any more. */
export function ownerFor({ type, id, createdBy }: Principal): OwnerRef | undefined {
  if (type === 'user' || type === 'agent') return { ownerType: type, ownerId: id };
  return createdBy === undefined ? undefined : { ownerType: 'user', ownerId: createdBy };
}
