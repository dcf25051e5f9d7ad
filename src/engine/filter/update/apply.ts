import type { JsonObject } from '../../../base/kernel/json.js';
import { joined, type Sql, sql } from '../../../base/sql/index.js';
import { compileFilter } from '../compile.js';
import { fieldExpression, type TableShape } from '../scope.js';
import { arrayChanges } from './arrays.js';
import { fieldChanges, rename } from './fields.js';
import { findMember, makeMember, put, remove, type Scratch, scratch, valueAt } from './member.js';
import type {
  Change,
  Changes,
  Operation,
  OperationContext,
  OperationOf,
  PullOperation,
  Update,
} from './tree.js';

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
function pullsOf(update: Update): readonly OperationOf<'pull'>[] {
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
  const context: OperationContext = { now, inserting, pulled: operation => new Set(pulls.get(operation)) };
  const changed = { ...document };
  const room = scratch(changed);
  for (const operation of update.operations) {
    if (operation.kind === 'rename') rename(changed, operation, room);
    else if (operation.kind !== 'setOnInsert' || inserting) change(changed, operation, context, room);
  }
  return changed;
}

function change(
  document: JsonObject,
  operation: Exclude<Operation, { kind: 'rename' }>,
  context: OperationContext,
  room: Scratch,
): void {
  // The table has the change of each kind. TypeScript cannot see that an operation and its entry belong together.
  const { creates, next } = CHANGES[operation.kind] as Change<Operation['kind']>;
  const found = creates ? makeMember(document, operation.path, room) : findMember(document, operation.path);
  const current = found && valueAt(found);
  if (found === undefined || (current === undefined && !creates)) return;
  const value = next(current, operation, context);
  if (value === current) return;
  const member = creates ? found : makeMember(document, operation.path, room);
  if (value === undefined) remove(member);
  else put(member, value, room);
}

const NONE = sql`NULL::jsonb`;

/**
 * SQL of the `pulled` that `applyUpdate` needs for one record: a jsonb array with an array of positions (or null) for
 * each `$pull` with a filter; NULL when there is no such `$pull`. Source: manual, `$pull`.
 */
export function pulledElements(update: Update, shape: TableShape): Sql {
  const pulls = pullsOf(update);
  if (pulls.length === 0) return NONE;
  // A function takes at most 100 arguments; an array has no such limit.
  return sql`to_jsonb(ARRAY[${joined(pulls.map(pull => positions(pull, shape)))}]::jsonb[])`;
}

function positions({ path, filter, wrapped }: PullOperation, shape: TableShape): Sql {
  const { sql: value, type } = fieldExpression(path, shape);
  if (type?.family === 'scalar') return NONE;
  const items = sql`CASE WHEN jsonb_typeof(${value}) = 'array' THEN ${value} ELSE '[]' END`;
  const element: TableShape = {
    flexible: wrapped ? sql`jsonb_build_object('v', pulling.v)` : sql`pulling.v`,
    column: () => undefined,
    textColumns: [],
  };
  const matches = compileFilter(filter, element);
  const ofKind = wrapped ? sql`TRUE` : sql`jsonb_typeof(pulling.v) = 'object'`;
  return sql`(SELECT jsonb_agg(pulling.i - 1) FROM jsonb_array_elements(${items}) WITH ORDINALITY AS pulling(v, i)
    WHERE ${ofKind} AND (${matches}))`;
}
