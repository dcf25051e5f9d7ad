import type { Collection } from '../collections/collection.entity.js';
import { PlatformError } from '../kernel/errors.js';
import { constraintOf, sqlState } from '../kernel/sql-state.js';
import type { IndexDefinition } from '../storage/collection-shape.js';
import { queryRefusal } from '../storage/query-refusal.js';
import { uniqueNamed } from '../storage/table.js';

/** The unique constraint that a write broke, or undefined when the error is about something else. */
export function brokenUnique(error: unknown, collection: Collection): IndexDefinition | undefined {
  if (sqlState(error) !== '23505') return undefined;
  return uniqueNamed(collection, collection.uniques, constraintOf(error) ?? '');
}

/** What the database refused of a write, in the client's words; anything else is passed on. */
export function refusal(error: unknown, collection: Collection): unknown {
  const unique = brokenUnique(error, collection);
  if (unique === undefined) return queryRefusal(error);
  const { properties } = unique;
  return new PlatformError(
    'AlreadyExists',
    `A record with the same ${properties.join(', ')} exists already; nothing was written.`,
    { properties },
  );
}
