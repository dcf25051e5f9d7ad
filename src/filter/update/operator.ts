import { checkDocument } from '../../columns/index.js';
import { invalid } from '../../kernel/errors.js';
import type { JsonValue } from '../../kernel/json.js';
import type { FieldPath } from '../field-path.js';
import type { Conditions } from '../parse.js';
import type { Operation, OperationOf } from './tree.js';

/** Reads what an operator says of one field. All operators of an update share the conditions of their filters. */
export type OperationParser = (path: FieldPath, operand: unknown, conditions: Conditions) => Operation;

/** What an operator's work on one document may depend on besides the document. */
export interface Moment {
  readonly now: Date;
  /** True while a new document is made by an upsert. */
  readonly inserting: boolean;
  /** Positions of the elements that the filter of each `$pull` matches, in the order of `pullsOf`. */
  pulled(operation: OperationOf<'pull'>): ReadonlySet<number>;
}

/** How an operator changes one value. */
export interface Change<Kind extends Operation['kind']> {
  /** True when the field is made where it is absent. */
  readonly creates: boolean;
  /** The value from now on; undefined removes the field. `current` is undefined only for what `creates`. */
  next(current: JsonValue | undefined, operation: OperationOf<Kind>, moment: Moment): JsonValue | undefined;
}

/** One entry for every kind of operation but `rename`, which touches two places: a forgotten kind is a type error. */
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
