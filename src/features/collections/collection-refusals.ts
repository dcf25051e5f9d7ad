import { invalid, PlatformError } from '../../base/kernel/errors.js';
import type { Principal } from '../../base/kernel/principal.js';
import { shortened } from '../../base/kernel/text.js';
import type { Collection } from './collection.entity.js';

/** Maximum number of ids in one error. */
export const MAX_NAMED = 20;

/** The same 404 for a collection that does not exist and for one that the caller cannot see. */
export function collectionNotFound(): PlatformError {
  return new PlatformError(
    'CollectionNotFound',
    'There is no collection with this id or name that you can see.',
  );
}

/** Throws 403 for callers who cannot have access to any collection. */
export function refuseOutsiders(principal: Principal): void {
  if (principal.credential === 'workspace-api-key') {
    throw new PlatformError(
      'Forbidden',
      'An API key of a workspace cannot access collections. Use an API key of the organization or the collection.',
    );
  }
  if (principal.memberships.length === 0) {
    throw new PlatformError(
      'OrganizationMembershipRequired',
      'The caller is not a member of an organization.',
    );
  }
}

/** 403: the grants of the caller have more conditions than one statement may have. */
export function tooManyRules(): PlatformError {
  return new PlatformError(
    'TooManyRules',
    'The rules of your grants on this collection have more than 1000 conditions together. Ask an admin of the collection to simplify them.',
  );
}

/** 409: several collections have the name that the caller used. */
export function ambiguousName(name: string, found: readonly Collection[]): PlatformError {
  return new PlatformError(
    'AmbiguousName',
    `Several collections that you see are named ${name}. Use the id of one of them.`,
    { ids: found.map(({ id }) => id) },
  );
}

/** Throws 409 when the caller named the collection and it has been renamed since. */
export function requireSameName(
  { byName, collection }: { readonly byName?: unknown; readonly collection: Collection },
  row: Collection,
): void {
  if (byName !== undefined && row.name !== collection.name) throw moved(collection.name);
}

/** 409: a collection was named, and the name belongs to another one since. */
export function moved(name: string): PlatformError {
  return new PlatformError(
    'Conflict',
    `Another collection got the name ${name} while the request ran. Nothing was done. Send the request again.`,
  );
}

/** 503: each retry found another version. */
export function keepsChanging(): PlatformError {
  return new PlatformError(
    'Unavailable',
    'The schema or settings of the collection keep changing. Nothing was written. Retry in a few seconds.',
  );
}

/** Throws 400 unless the upsert key is a column with a unique constraint of its own. */
export function requireUnique({ uniques }: Collection, key: string): void {
  if (!uniques.some(({ properties }) => properties.length === 1 && properties[0] === key))
    throw invalid(`upsert_key: ${JSON.stringify(shortened(key))} has no unique constraint of its own`);
}
