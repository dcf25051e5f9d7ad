import { Slices } from '../../../base/kernel/bounds/slices.js';
import { PlatformError } from '../../../base/kernel/errors.js';
import { newId } from '../../../base/kernel/id.js';
import type { JsonObject, JsonValue } from '../../../base/kernel/json.js';
import { type Operation, rootsOf, type Update } from '../../../engine/filter/update/index.js';
import {
  fittingValue,
  layoutOf,
  type Misfit,
  type RecordLayout,
  type Row,
} from '../../../engine/storage/records/record-layout.js';
import type { Collection } from '../../collections/collection.entity.js';
import { typedUpdate } from '../update-records.service.js';
import type { BatchOperation, DeleteOperation, UpdateOperation } from './batch-operations.js';

/** New values of one record: columns by their physical names, and flexible fields. */
export interface PlannedChange {
  readonly columns: Readonly<Record<string, JsonValue>>;
  readonly flexible: JsonObject;
  /** Flexible fields to remove. */
  readonly removed: readonly string[];
}

export interface PlannedUpdate {
  readonly index: number;
  readonly id: string;
  /** Without system fields, with operands in the form that columns store. */
  readonly update: Update;
  /** Top-level fields that the update can change. */
  readonly roots: readonly string[];
  /** The new values; undefined when they depend on the record. */
  readonly change: PlannedChange | undefined;
}

/** A batch for one version of a collection. */
export interface BatchPlan {
  readonly operations: readonly BatchOperation[];
  /** New records with their ids, and the indexes of their operations. */
  readonly inserts: readonly { readonly index: number; readonly row: Row }[];
  readonly updates: readonly PlannedUpdate[];
  /** Updates and deletes, whose records must exist. */
  readonly named: readonly {
    readonly index: number;
    readonly operation: UpdateOperation | DeleteOperation;
  }[];
  readonly deleted: readonly string[];
}

/** Maximum number of misfits in one error. */
const MAX_REPORTED = 100;

/**
 * Validates the operations against the columns. Throws 400 for content that is not allowed in any record, and 422
 * `BatchRejected` with the values that do not fit. Other requests run in between.
 */
export async function planBatch(
  collection: Collection,
  operations: readonly BatchOperation[],
  now: Date,
): Promise<BatchPlan> {
  const layout = layoutOf(collection);
  const misfits: Misfit[] = [];
  const slices = new Slices();
  const inserts: { index: number; row: Row }[] = [];
  const updates: PlannedUpdate[] = [];
  for (const [index, operation] of operations.entries()) {
    if (operation.kind === 'insert') {
      const row = layout.row(operation.record, index, misfits, `operations.${index}.insert`);
      inserts.push({ index, row });
    } else if (operation.kind === 'update') {
      updates.push(plannedUpdate(operation, { index, layout, now, misfits }));
    }
    await slices.pause();
  }
  if (misfits.length > 0) throw refuseMisfits(misfits);
  for (const { row } of inserts) row._id = newId();
  const named = operations.flatMap((operation, index) =>
    operation.kind === 'insert' ? [] : [{ index, operation }],
  );
  const deleted = operations.flatMap(each => (each.kind === 'delete' ? [each.id] : []));
  return { operations, inserts, updates, named, deleted };
}

interface Context {
  readonly index: number;
  readonly layout: RecordLayout;
  readonly now: Date;
  readonly misfits: Misfit[];
}

function plannedUpdate(
  { id, update }: UpdateOperation,
  { index, layout, now, misfits }: Context,
): PlannedUpdate {
  const operations: Operation[] = [];
  for (const operation of update.operations) {
    try {
      const typed = typedUpdate({ operations: [operation] }, layout, now).operations;
      for (const each of typed) refuseUnset(each, layout);
      operations.push(...typed);
    } catch (error) {
      misfits.push(misfitOf(error, index, operation.path[0] as string));
    }
  }
  const typed = { operations };
  const counting = operations.filter(({ kind }) => kind !== 'setOnInsert');
  const roots = [...new Set(counting.flatMap(rootsOf))];
  return {
    index,
    id,
    update: typed,
    roots,
    change: misfits.length > 0 ? undefined : knownChange(typed, layout),
  };
}

function refuseUnset({ kind, path }: Operation, layout: RecordLayout): void {
  const column = kind === 'unset' && path.length === 1 ? layout.column(path[0] as string) : undefined;
  if (column !== undefined) fittingValue(column, null);
}

/** The change of an update that only sets and unsets top-level fields; undefined for others. */
function knownChange({ operations }: Update, layout: RecordLayout): PlannedChange | undefined {
  const change = {
    columns: {} as Record<string, JsonValue>,
    flexible: {} as JsonObject,
    removed: [] as string[],
  };
  for (const operation of operations) {
    if (operation.kind === 'setOnInsert') continue;
    if (operation.path.length > 1 || (operation.kind !== 'set' && operation.kind !== 'unset'))
      return undefined;
    const name = operation.path[0] as string;
    const column = layout.column(name);
    const value = operation.kind === 'set' ? operation.value : null;
    if (column !== undefined) change.columns[column.physical] = value;
    else if (operation.kind === 'set') change.flexible[name] = value;
    else change.removed.push(name);
  }
  return change;
}

/** The change that replaces the roots of an update by those of the updated document. */
export function changeTo(
  document: JsonObject,
  roots: readonly string[],
  layout: RecordLayout,
): PlannedChange {
  const { x, ...columns } = layout.rewritten(document, roots);
  const flexible: JsonObject = {};
  const removed: string[] = [];
  for (const root of roots) {
    if (layout.column(root) !== undefined) continue;
    if (Object.hasOwn(document, root)) flexible[root] = document[root] as JsonValue;
    else removed.push(root);
  }
  return { columns, flexible, removed };
}

/** The problem of a value or an operator that does not fit a record. Rethrows other errors. */
export function misfitOf(error: unknown, row: number, column: string): Misfit {
  if (!(error instanceof PlatformError) || error.code !== 'InvalidArguments') throw error;
  const [, name = column, problem = error.message] = /^([^:]{1,255}): (.*)$/s.exec(error.message) ?? [];
  return { row, column: name, problem };
}

/** 422: the values that do not fit, by the index of their operation. */
export function refuseMisfits(misfits: readonly Misfit[]): PlatformError {
  const [{ row, column, problem }] = misfits as [Misfit];
  const more = misfits.length > 1 ? ` (and ${misfits.length - 1} more)` : '';
  return new PlatformError(
    'BatchRejected',
    `Nothing was written: operations.${row}, ${column}: ${problem}${more}`,
    misfits.slice(0, MAX_REPORTED),
  );
}
