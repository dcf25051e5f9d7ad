import type { JsonObject } from '../../kernel/json.js';
import { arrayChanges } from './arrays.js';
import { fieldChanges, rename } from './fields.js';
import type { Change, Changes, Moment } from './operator.js';
import { findPlace, makePlace, put, remove, type Scratch, scratch, valueAt } from './place.js';
import type { Operation, OperationOf, Update } from './tree.js';

const CHANGES: Changes = { ...fieldChanges, ...arrayChanges };

/** What an update needs to know besides the document. */
export interface Circumstances {
  readonly now: Date;
  /** True while an upsert makes a new document: `$setOnInsert` counts only then. */
  readonly inserting?: boolean;
  /** For each operation of `pullsOf(update)`, the positions of the array's elements that its filter matches. */
  readonly pulled?: readonly (readonly number[] | null)[];
}

/** The operations whose filters PostgreSQL has to answer before `applyUpdate`. */
export function pullsOf(update: Update): readonly OperationOf<'pull'>[] {
  return update.operations.filter(operation => operation.kind === 'pull');
}

/**
 * The document after the update, with MongoDB's semantics; the document given stays as it is, and what the update does not
 * touch is shared with it. Throws 400 naming the
 * field where an operator meets a value of another type, a path cannot be, or a number leaves the doubles.
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
  // The table holds the change of each kind; TypeScript cannot see that an operation and its entry belong together.
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
