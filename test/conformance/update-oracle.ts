import { update as mingoUpdate } from 'mingo/updater';
import { applyUpdate, isSame, parseUpdate } from '../../src/filter/update/index.js';
import { PlatformError } from '../../src/kernel/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../src/kernel/json.js';

const NOW = new Date('2026-01-31T09:30:00.250Z');

/** Undefined for what is refused, as by MongoDB: a conflict, another type, a path that cannot be. */
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
 * The document after an update as mingo has it, or undefined where mingo is known to differ from MongoDB's manual. It
 * throws nothing where MongoDB refuses, so it is asked only about what was not refused.
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
  return JSON.parse(JSON.stringify(copy)); // JSON knows one zero
}

/** What mingo 7.2.6 does otherwise than the manual says. */
function differs(operator: string, path: string, operand: JsonValue, document: JsonObject): boolean {
  // It reads and writes through arrays by field names, fills no nulls, and takes digits for array positions of new arrays.
  if (crossesArray(document, path) || (operator === '$rename' && crossesArray(document, operand as string)))
    return true;
  if (/\.\d/.test(path) || (operator === '$rename' && /\.\d/.test(operand as string))) return true;
  const value = at(document, path);
  switch (operator) {
    case '$min':
    case '$max':
      // It knows no order between two objects or arrays, and takes null for absent.
      return isContainer(operand) || isContainer(value) || value === null || operand === null;
    case '$push':
      return differsInPush(operand, value);
    case '$addToSet':
      // It keeps duplicates of $each where the field is absent, and removes those that were there before.
      return hasDuplicates(value ?? (isJsonObject(operand) ? operand.$each : undefined));
    case '$pull':
    case '$pullAll':
      // It pulls by the filter's equality, which looks into arrays within the array.
      return Array.isArray(value) && value.some(Array.isArray);
    default:
      return false;
  }
}

/** Onto an absent field it pushes without order and slice; its own order has no place for objects and mixed types, nor for elements without the field. */
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
