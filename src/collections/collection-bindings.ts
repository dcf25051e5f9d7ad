import type { Collection } from './collection.entity.js';
import type { BoundType, GrantableRole } from './collection-binding.entity.js';

/** Roles by whom they were given to: `user:<id>`, `group:<slug>`, `org:`; all of the collection's organization. */
export type Bindings = ReadonlyMap<string, GrantableRole>;

/** A collection with whom it is shared, read at one instant; `version` changes with either. */
export type BoundCollection = Collection & { readonly bindings: Bindings };

/** SQL: a JSON object of the bindings of the collection `c`, null when there are none. */
export const BINDINGS = `(
  SELECT jsonb_object_agg(b.principal_type || ':' || coalesce(b.user_id::text, b.group_slug, ''), b.role)
  FROM collection_bindings b WHERE b.collection_id = c.id)`;

/** The role given to a user (by id), a group (by slug) or the organization. */
export function boundRole(bindings: Bindings, type: BoundType, id = ''): GrantableRole | undefined {
  return bindings.get(`${type}:${id}`);
}

/** From what `BINDINGS` selects. */
export function bindingsOf(roles: Readonly<Record<string, GrantableRole>> | null): Bindings {
  return new Map(Object.entries(roles ?? {}));
}
