import { invalid } from '../../kernel/errors.js';
import { isJsonObject, type JsonObject } from '../../kernel/json.js';
import { type FieldPath, parseFieldPath } from '../field-path.js';
import { arrayParsers } from './arrays.js';
import { fieldParsers } from './fields.js';
import type { OperationParser } from './operator.js';
import type { Operation, Update } from './tree.js';

/** Fields that one update may name. */
const MAX_FIELDS = 10_000;

const OPERATORS: Readonly<Record<string, OperationParser>> = { ...fieldParsers, ...arrayParsers };

/**
 * Reads an update in MongoDB's language into a frozen tree; fields without operators mean `$set`. All limits and
 * refusals are here; throws `invalid()`. Source: wire contract, "Query language".
 */
export function parseUpdate(json: unknown): Update {
  if (!isJsonObject(json)) throw invalid('An update is an object of fields to set, or of update operators.');
  const names = Object.keys(json);
  const operators = names.filter(name => name.startsWith('$'));
  if (operators.length > 0 && operators.length < names.length)
    throw invalid('Send fields or update operators, not both.');
  const operations =
    operators.length === 0
      ? readFields('$set', json)
      : operators.flatMap(name => readFields(name, json[name]));
  if (operations.length > MAX_FIELDS) throw invalid(`an update names at most ${MAX_FIELDS} fields`);
  refuseConflicts(operations);
  return Object.freeze({ operations: Object.freeze(operations) });
}

function readFields(name: string, fields: unknown): Operation[] {
  if (!Object.hasOwn(OPERATORS, name))
    throw invalid(`${JSON.stringify(name.slice(0, 60)).slice(1, -1)} is no update operator of this service`);
  if (!isJsonObject(fields)) throw invalid(`${name}: expects an object of fields`);
  const parse = OPERATORS[name] as OperationParser;
  return members(fields).map(([field, operand]) => Object.freeze(parse(parseFieldPath(field), operand)));
}

function members(fields: JsonObject): [string, unknown][] {
  return Object.entries(fields);
}

/** No two operations may touch one field, nor a field and what is inside it: the outcome would depend on their order. */
function refuseConflicts(operations: readonly Operation[]): void {
  const paths = operations.flatMap(operation =>
    operation.kind === 'rename' ? [operation.path, operation.to] : [operation.path],
  );
  const known = new Set<string>();
  const above = new Set<string>();
  for (const path of paths) {
    const name = path.join('.');
    const holders = holdersOf(path);
    const other = holders.find(holder => known.has(holder)) ?? name;
    if (other !== name || known.has(name) || above.has(name))
      throw invalid(
        `${name.slice(0, 200)}: another operation of this update changes '${other.slice(0, 200)}', too`,
      );
    known.add(name);
    for (const holder of holders) above.add(holder);
  }
}

function holdersOf(path: FieldPath): string[] {
  return path.slice(0, -1).map((_, index) => path.slice(0, index + 1).join('.'));
}
