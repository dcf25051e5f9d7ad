import { invalid } from '../../../base/kernel/errors.js';
import { isJsonObject, isTooMany, type JsonObject } from '../../../base/kernel/json.js';
import { MAX_VALUES } from '../../../base/kernel/limits.js';
import { type FieldPath, parseFieldPath } from '../field-path.js';
import type { Conditions } from '../parse.js';
import { arrayParsers } from './arrays.js';
import { fieldParsers } from './fields.js';
import { named, type Operation, type OperationParser, type Update } from './tree.js';

/** Maximum of fields in one update. */
const MAX_FIELDS = 10_000;
/** Maximum of parts in all paths together: each part is checked, and is followed in every record. */
const MAX_PARTS = 20_000;

const OPERATORS: Readonly<Record<string, OperationParser>> = { ...fieldParsers, ...arrayParsers };

/**
 * Parses an update in MongoDB's language into a frozen tree; fields without operators mean `$set`. All limits and
 * errors are here; throws `invalid()`. Source: wire contract, "Query language".
 */
export function parseUpdate(json: unknown): Update {
  if (!isJsonObject(json)) throw invalid('An update is an object of fields to set, or of update operators.');
  const byOperator = hasOperators(json) ? json : { $set: json };
  if (isTooMany(json)) throw invalid(`an update has at most ${MAX_VALUES} values`);
  refuseParts(byOperator);
  const conditions = { count: 0, of: 'the filters of an update together have' };
  const operations: Operation[] = [];
  for (const name in byOperator) readFields(name, byOperator[name], conditions, operations);
  if (operations.length > MAX_FIELDS) throw invalid(`an update names at most ${MAX_FIELDS} fields`);
  refuseConflicts(operations);
  return Object.freeze({ operations: Object.freeze(operations) });
}

function hasOperators(json: JsonObject): boolean {
  let [names, operators] = [0, 0];
  for (const name in json) {
    names += 1;
    if (name.startsWith('$')) operators += 1;
  }
  if (operators > 0 && operators < names) throw invalid('Send fields or update operators, not both.');
  return operators > 0;
}

/** Counts the parts before any of them is parsed. */
function refuseParts(byOperator: JsonObject): void {
  let parts = 0;
  for (const operator in byOperator) {
    const fields = byOperator[operator];
    if (!isJsonObject(fields)) continue;
    for (const name in fields) {
      parts += partsOf(name);
      if (parts > MAX_PARTS) throw invalid(`the paths of an update together have at most ${MAX_PARTS} parts`);
    }
  }
}

function partsOf(path: string): number {
  let parts = 1;
  for (let at = path.indexOf('.'); at >= 0; at = path.indexOf('.', at + 1)) parts++;
  return parts;
}

/** Adds the operation of each field to `operations`. */
function readFields(name: string, fields: unknown, conditions: Conditions, operations: Operation[]): void {
  if (!Object.hasOwn(OPERATORS, name))
    throw invalid(`${JSON.stringify(name.slice(0, 60)).slice(1, -1)} is not a supported update operator`);
  if (!isJsonObject(fields)) throw invalid(`${name}: expects an object of fields`);
  const parse = OPERATORS[name] as OperationParser;
  for (const field in fields)
    operations.push(Object.freeze(parse(parseFieldPath(field), fields[field], conditions)));
}

/** Fields that operations change, as a tree. `isTouched` is true at the end of each path. */
interface Touched {
  below: Map<string, Touched> | undefined;
  isTouched: boolean;
}

/** Refuses two operations on the same field, or on a field and a part of it: the result would depend on their order. */
function refuseConflicts(operations: readonly Operation[]): void {
  const root: Touched = { below: undefined, isTouched: false };
  for (const operation of operations) {
    touch(root, operation.path);
    if (operation.kind === 'rename') touch(root, operation.to);
  }
}

function touch(root: Touched, path: FieldPath): void {
  let at = root;
  for (let index = 0; index < path.length; index++) {
    const part = path[index] as string;
    let next = at.below?.get(part);
    if (next === undefined) {
      next = { below: undefined, isTouched: false };
      at.below ??= new Map();
      at.below.set(part, next);
    }
    at = next;
    if (at.isTouched) throw conflict(path, path.slice(0, index + 1));
  }
  if (at.below !== undefined) throw conflict(path, path);
  at.isTouched = true;
}

function conflict(path: FieldPath, other: FieldPath): Error {
  return invalid(`${named(path)}: another operation of this update also changes '${named(other)}'`);
}
