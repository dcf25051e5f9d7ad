import type { JsonObject } from '../../kernel/json.js';
import { arrayChanges } from './arrays.js';
import { fieldChanges, rename } from './fields.js';
import type { Change, Changes, Moment } from './operator.js';
import { findPlace, makePlace, put, remove, type Scratch, scratch, valueAt } from './place.js';
import type { Operation, OperationOf, Update } from './tree.js';

const CHANGES: Changes = { ...fieldChanges, ...arrayChanges };

/** What an update depends on besides the document. */
export interface Circumstances {
  readonly now: Date;
  /** True while an upsert creates a new document: only then `$setOnInsert` applies. */
  readonly inserting?: boolean;
  /** For each operation of `pullsOf(update)`, the positions of the array elements that its filter matches. */
  readonly pulled?: readonly (readonly number[] | null)[];
}

/** The operations whose filters PostgreSQL must evaluate before `applyUpdate`. */
export function pullsOf(update: Update): readonly OperationOf<'pull'>[] {
  return update.operations.filter(operation => operation.kind === 'pull');
}

/**
 * The document after the update, with MongoDB's semantics. The given document is not changed, and the result shares
 * with it what the update does not touch. Throws 400 that names the field when a value has the wrong type for an
 * operator, a path cannot exist, or a number exceeds the range of doubles.
 */
export function applyUpdate(document: JsonObject, update: Update, circumstances: Circumstances): JsonObject {
  const { now, inserting = false, pulled = [] } = circumstances;
  const pulls = new Map(pullsOf(update).map((operation, index) => [operation, pulled[index]]));
  const moment: Moment = { now, inserting, pulled: operation => new Set(pulls.get(operation)) };
  const changed = { ...document };
  const room = scratch(changed);
  for (const operation of update.operations) {
    if (operation.kind === 'rename') rename(changed, operation, room);
    else if (operation.kind !== 'setOnInsert' || inserting) change(changed, operation, moment, room);
  }
  return changed;
}

function change(
  document: JsonObject,
  operation: Exclude<Operation, { kind: 'rename' }>,
  moment: Moment,
  room: Scratch,
): void {
  // The table has the change of each kind. TypeScript cannot see that an operation and its entry belong together.
  const { creates, next } = CHANGES[operation.kind] as Change<Operation['kind']>;
  const found = creates ? makePlace(document, operation.path, room) : findPlace(document, operation.path);
  const current = found && valueAt(found);
  if (found === undefined || (current === undefined && !creates)) return;
  const value = next(current, operation, moment);
  if (value === current) return;
  const place = creates ? found : makePlace(document, operation.path, room);
  if (value === undefined) remove(place);
  else put(place, value, room);
}
