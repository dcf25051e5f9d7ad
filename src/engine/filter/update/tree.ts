import { invalid } from '../../../base/kernel/errors.js';
import type { JsonValue } from '../../../base/kernel/json.js';
import { checkDocument } from '../../columns/index.js';
import type { FieldPath } from '../field-path.js';
import type { Conditions } from '../parse.js';
import type { Filter } from '../tree.js';

/** One operator on one field. Operations of an update never change the same field, so their order does not matter. */
export type Operation =
  | {
      readonly kind: 'set' | 'setOnInsert' | 'min' | 'max';
      readonly path: FieldPath;
      readonly value: JsonValue;
    }
  | { readonly kind: 'inc' | 'mul'; readonly path: FieldPath; readonly number: number }
  | { readonly kind: 'unset' | 'currentDate'; readonly path: FieldPath }
  | { readonly kind: 'rename'; readonly path: FieldPath; readonly to: FieldPath }
  | PushOperation
  | { readonly kind: 'addToSet' | 'pullAll'; readonly path: FieldPath; readonly values: readonly JsonValue[] }
  | PullOperation
  | { readonly kind: 'pop'; readonly path: FieldPath; readonly end: 'first' | 'last' };

export interface PushOperation {
  readonly kind: 'push';
  readonly path: FieldPath;
  readonly values: readonly JsonValue[];
  /** Where the values are inserted, from the end when negative; undefined appends them. */
  readonly position: number | undefined;
  readonly sort: PushSort | undefined;
  /** How many elements are kept, the last ones when negative; undefined keeps all. */
  readonly slice: number | undefined;
}

/** Sorts by whole elements (empty path) or by fields of elements. */
export type PushSort = readonly { readonly path: FieldPath; readonly direction: 1 | -1 }[];

/**
 * `$pull` with a filter. Only PostgreSQL evaluates filters, so that a filter has the same result everywhere and the
 * statement timeout stops a slow pattern: see `pulledElements`.
 */
export interface PullOperation {
  readonly kind: 'pull';
  readonly path: FieldPath;
  readonly filter: Filter;
  /**
   * True when the filter sees the element as the field `v` of an object; otherwise it sees the element's own fields.
   */
  readonly wrapped: boolean;
}

export type OperationOf<Kind extends Operation['kind']> = Operation & { readonly kind: Kind };

/** What an update does to a document. */
export interface Update {
  readonly operations: readonly Operation[];
}

/** Top-level fields that an operation can change. */
export function rootsOf(operation: Operation): readonly string[] {
  const [root] = operation.path as [string];
  return operation.kind === 'rename' ? [root, operation.to[0] as string] : [root];
}

/** Parses an operator's operand for one field. The filters of an update share the count of conditions. */
export type OperationParser = (path: FieldPath, operand: unknown, conditions: Conditions) => Operation;

/** What an operator may depend on besides the document. */
export interface OperationContext {
  readonly now: Date;
  /** True while an upsert creates a new document. */
  readonly inserting: boolean;
  /** Positions of the elements that a `$pull`'s filter matches. */
  pulled(operation: OperationOf<'pull'>): ReadonlySet<number>;
}

/** How an operator changes one value. */
export interface Change<Kind extends Operation['kind']> {
  /** True when an absent field is created. */
  readonly creates: boolean;
  /** The new value; undefined removes the field. `current` is undefined only if `creates` is true. */
  next(
    current: JsonValue | undefined,
    operation: OperationOf<Kind>,
    context: OperationContext,
  ): JsonValue | undefined;
}

/** One entry for every kind of operation except `rename`, which has two fields. A missing kind is a type error. */
export type Changes = { [Kind in Exclude<Operation['kind'], 'rename'>]: Change<Kind> };

/** A value that a record may hold. */
export function storedValue(value: unknown, path: FieldPath): JsonValue {
  const where = path.length === 1 ? 'update' : path.slice(0, -1).join('.');
  checkDocument({ [path.at(-1) as string]: value }, where);
  return value as JsonValue;
}

export function named(path: FieldPath): string {
  return path.join('.').slice(0, 200);
}

export function refused(operator: string, path: FieldPath, needs: string): Error {
  return invalid(`${named(path)}: ${operator} needs ${needs}`);
}
