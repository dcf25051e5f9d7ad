import type { Collection } from '../collections/collection.entity.js';
import { PlatformError } from '../kernel/errors.js';
import { constraintOf, sqlState } from '../kernel/sql-state.js';
import type { IndexDefinition } from '../storage/collection-shape.js';
import { writeRefusal } from '../storage/query-refusal.js';
import type { Selection } from '../storage/selection.js';
import { uniqueNamed } from '../storage/table.js';

/** The statement timeout. */
const CANCELLED = '57014';

/** The unique constraint that a write broke, or undefined when the error is about something else. */
export function brokenUnique(error: unknown, collection: Collection): IndexDefinition | undefined {
  if (sqlState(error) !== '23505') return undefined;
  return uniqueNamed(collection, collection.uniques, constraintOf(error) ?? '');
}

/** What the database refused of a write, in the client's words; anything else is passed on. */
export function refusal(error: unknown, collection: Collection): unknown {
  const unique = brokenUnique(error, collection);
  if (unique === undefined) return writeRefusal(error);
  const { properties } = unique;
  // Nothing is inserted or changed unless the version check holds.
  return new PlatformError(
    'AlreadyExists',
    `A record with the same ${properties.join(', ')} exists already; nothing was written.`,
    { properties },
  ).proven();
}

/**
 * The same of a write that looks for nothing but ids and unique keys. One that takes too long was kept waiting: there is
 * nothing in it for the client to mend, so it is no 400 but the 503 of a busy database.
 */
export function directRefusal(error: unknown, collection: Collection): unknown {
  return sqlState(error) === CANCELLED ? error : refusal(error, collection);
}

/** How a write with this selection tells what was refused: a filter may be what takes long. */
export function refusalOf(selection: Selection): typeof refusal {
  return 'recordId' in selection ? directRefusal : refusal;
}
