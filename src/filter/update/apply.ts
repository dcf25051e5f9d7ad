import type { JsonObject, JsonValue } from '../../kernel/json.js';
import { arrayChanges } from './arrays.js';
import { fieldChanges, rename } from './fields.js';
import type { Change, Changes, Moment } from './operator.js';
import { findPlace, makePlace, type Padding, padding, put, remove, valueAt } from './place.js';
import { type Operation, type OperationOf, rootsOf, type Update } from './tree.js';

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
 * The document after the update, with MongoDB's semantics; the document given stays as it is. Throws 400 naming the
 * field where an operator meets a value of another type, a path cannot be, or a number leaves the doubles.
 */
export function applyUpdate(document: JsonObject, update: Update, circumstances: Circumstances): JsonObject {
  const { now, inserting = false, pulled = [] } = circumstances;
  const pulls = pullsOf(update);
  const moment: Moment = { now, inserting, pulled: operation => new Set(pulled[pulls.indexOf(operation)]) };
  const changed = { ...document };
  for (const root of update.operations.flatMap(rootsOf)) {
    if (Object.hasOwn(document, root)) changed[root] = structuredClone(document[root] as JsonValue);
  }
  const room = padding();
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
  room: Padding,
): void {
  // The table holds the change of each kind; TypeScript cannot see that an operation and its entry belong together.
  const { creates, next } = CHANGES[operation.kind] as Change<Operation['kind']>;
  const place = creates ? makePlace(document, operation.path, room) : findPlace(document, operation.path);
  const current = place && valueAt(place);
  if (place === undefined || (current === undefined && !creates)) return;
  const value = next(current, operation, moment);
  if (value === undefined) remove(place);
  else put(place, value, room);
}
