import type { JsonValue } from '../../kernel/json.js';
import type { FieldPath } from '../field-path.js';
import type { Filter } from '../tree.js';

/** One operator at one field. Operations of one update never touch the same place, so their order is free. */
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
  /** Where the values go, from the end when negative; undefined: behind the last element. */
  readonly position: number | undefined;
  readonly sort: PushSort | undefined;
  /** How many elements stay, the last ones when negative; undefined: all. */
  readonly slice: number | undefined;
}

/** By whole elements (no path), or by fields of elements. */
export type PushSort = readonly { readonly path: FieldPath; readonly direction: 1 | -1 }[];

/**
 * `$pull` of what a filter matches. Filters are answered by PostgreSQL alone, so that one has the same answer everywhere
 * and a slow pattern meets the statement timeout: see `pulledElements`.
 */
export interface PullOperation {
  readonly kind: 'pull';
  readonly path: FieldPath;
  readonly filter: Filter;
  /** The filter speaks of the element as the field `v` of an object; else of the element's own fields. */
  readonly wrapped: boolean;
}

export type OperationOf<Kind extends Operation['kind']> = Operation & { readonly kind: Kind };

/** What an update does to a document. */
export interface Update {
  readonly operations: readonly Operation[];
}

/** Top-level fields that an operation may change. */
export function rootsOf(operation: Operation): readonly string[] {
  const [root] = operation.path as [string];
  return operation.kind === 'rename' ? [root, operation.to[0] as string] : [root];
}
