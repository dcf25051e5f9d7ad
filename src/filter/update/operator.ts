import { checkDocument } from '../../columns/index.js';
import { invalid } from '../../kernel/errors.js';
import type { JsonValue } from '../../kernel/json.js';
import type { FieldPath } from '../field-path.js';
import type { Conditions } from '../parse.js';
import type { Operation, OperationOf } from './tree.js';

/** Parses an operator's operand for one field. The filters of an update share the count of conditions. */
export type OperationParser = (path: FieldPath, operand: unknown, conditions: Conditions) => Operation;

/** What an operator may depend on besides the document. */
export interface Moment {
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
  next(current: JsonValue | undefined, operation: OperationOf<Kind>, moment: Moment): JsonValue | undefined;
}

/** One entry for every kind of operation except `rename`, which has two fields. A missing kind is a type error. */
export type Changes = { [Kind in Exclude<Operation['kind'], 'rename'>]: Change<Kind> };

/** A value that a record may hold. */
export function storedValue(value: unknown, path: FieldPath): JsonValue {
  checkDocument({ [path.at(-1) as string]: value }, path.slice(0, -1).join('.') || 'update');
  return value as JsonValue;
}

export function named(path: FieldPath): string {
  return path.join('.').slice(0, 200);
}

export function refused(operator: string, path: FieldPath, needs: string): Error {
  return invalid(`${named(path)}: ${operator} needs ${needs}`);
}
