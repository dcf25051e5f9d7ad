import { update as mingoUpdate } from 'mingo/updater';
import { PlatformError } from '../../src/base/kernel/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/base/kernel/json.js';
import { applyUpdate, isSame, parseUpdate } from '../../src/engine/filter/update/index.js';

const NOW = new Date('2026-01-31T09:30:00.250Z');

/** Undefined for updates that MongoDB also refuses: a conflict, a wrong type, an impossible path. */
export function attempt(
  document: JsonObject,
  update: JsonObject,
  circumstances: { inserting?: boolean; pulled?: readonly (readonly number[] | null)[] } = {},
): JsonObject | undefined {
  try {
    return applyUpdate(document, parseUpdate(update), { now: NOW, ...circumstances });
  } catch (error) {
    if (error instanceof PlatformError && error.code === 'InvalidArguments') return undefined;
    throw error;
  }
}

type Operands = Record<string, JsonValue>;

/**
 * The document after an update according to mingo, or undefined if mingo is known to differ from MongoDB's
 * manual. mingo throws no error for updates that MongoDB refuses, so it gets only accepted updates.
 */
export function mingo(document: JsonObject, update: JsonObject): JsonObject | undefined {
  const isBeyond = Object.entries(update).some(([operator, operands]) =>
    Object.entries(operands as Operands).some(([path, operand]) =>
      differs(operator, path, operand, document),
    ),
  );
  if (isBeyond) return undefined;
  const copy = structuredClone(document);
  mingoUpdate(copy as never, structuredClone(update) as never, [], {}, { cloneMode: 'deep' });
  return JSON.parse(JSON.stringify(copy)); // JSON does not distinguish 0 and -0
}

/** Known differences between mingo 7.2.6 and the manual. */
function differs(operator: string, path: string, operand: JsonValue, document: JsonObject): boolean {
  // mingo reads and writes fields inside arrays by name, does not pad arrays with nulls, and treats digits as
  // positions when it creates arrays.
  if (crossesArray(document, path) || (operator === '$rename' && crossesArray(document, operand as string)))
    return true;
  if (/\.\d/.test(path) || (operator === '$rename' && /\.\d/.test(operand as string))) return true;
  const value = at(document, path);
  switch (operator) {
    case '$min':
    case '$max':
      // mingo has no order between two objects or arrays, and treats null as absent.
      return isContainer(operand) || isContainer(value) || value === null || operand === null;
    case '$push':
      return differsInPush(operand, value);
    case '$addToSet':
      // mingo keeps duplicates of $each if the field is absent, and removes duplicates that were there before.
      return hasDuplicates(value ?? (isJsonObject(operand) ? operand.$each : undefined));
    case '$pull':
    case '$pullAll':
      // mingo pulls by the equality of filters, which searches arrays within the array.
      return Array.isArray(value) && value.some(Array.isArray);
    default:
      return false;
  }
}

/**
 * mingo pushes to an absent field without sorting and slicing. Its own order does not cover objects, mixed types
 * and elements without the field.
 */
function differsInPush(operand: JsonValue, value: JsonValue | undefined): boolean {
  if (!isJsonObject(operand) || operand.$each === undefined) return false;
  if (value === undefined) return operand.$sort !== undefined || operand.$slice !== undefined;
  const items = [...(Array.isArray(value) ? value : []), ...(operand.$each as JsonValue[])];
  return (
    operand.$sort !== undefined &&
    (isJsonObject(operand.$sort) || items.some(item => isContainer(item) || typeof item !== typeof items[0]))
  );
}

function hasDuplicates(items: JsonValue | undefined): boolean {
  return Array.isArray(items) && items.some((item, n) => items.findIndex(other => isSame(item, other)) !== n);
}

function crossesArray(document: JsonObject, path: string): boolean {
  const parts = path.split('.');
  return parts.some((_, index) => index > 0 && Array.isArray(at(document, parts.slice(0, index).join('.'))));
}

function at(document: JsonObject, path: string): JsonValue | undefined {
  let value: JsonValue | undefined = document;
  for (const part of path.split('.')) {
    value = isJsonObject(value) && Object.hasOwn(value, part) ? value[part] : undefined;
  }
  return value;
}

function isContainer(value: JsonValue | undefined): boolean {
  return typeof value === 'object' && value !== null;
}
