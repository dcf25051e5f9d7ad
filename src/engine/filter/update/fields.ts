import { invalid } from '../../../base/kernel/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/kernel/json.js';
import { parseFieldPath } from '../field-path.js';
import { crossesArray, findMember, makeMember, put, remove, type Scratch, valueAt } from './member.js';
import { type Changes, named, type OperationOf, type OperationParser, refused, storedValue } from './tree.js';
import { compareValues, typeOf } from './values.js';

/** MongoDB's manual, "Field Update Operators". */
export const fieldParsers = {
  $set: (path, value) => ({ kind: 'set', path, value: storedValue(value, path) }),
  $setOnInsert: (path, value) => ({ kind: 'setOnInsert', path, value: storedValue(value, path) }),
  $min: (path, value) => ({ kind: 'min', path, value: storedValue(value, path) }),
  $max: (path, value) => ({ kind: 'max', path, value: storedValue(value, path) }),
  $unset: path => ({ kind: 'unset', path }),
  $inc: (path, number) => ({ kind: 'inc', path, number: finite('$inc', path, number) }),
  $mul: (path, number) => ({ kind: 'mul', path, number: finite('$mul', path, number) }),
  $rename(path, target) {
    if (typeof target !== 'string') throw refused('$rename', path, 'the new name as a string');
    return { kind: 'rename', path, to: parseFieldPath(target) };
  },
  $currentDate(path, operand) {
    if (!isDateType(operand)) throw refused('$currentDate', path, 'true or {"$type": "date"}');
    return { kind: 'currentDate', path };
  },
} as const satisfies Record<string, OperationParser>;

function finite(operator: string, path: readonly string[], number: unknown): number {
  if (!Number.isFinite(number)) throw refused(operator, path, 'a number');
  return number as number;
}

/** JSON has no timestamps: both of MongoDB's types become the same text. */
function isDateType(operand: unknown): boolean {
  if (typeof operand === 'boolean') return true;
  return (
    isJsonObject(operand) &&
    Object.keys(operand).join() === '$type' &&
    (operand.$type === 'date' || operand.$type === 'timestamp')
  );
}

type FieldKind = 'set' | 'setOnInsert' | 'min' | 'max' | 'unset' | 'inc' | 'mul' | 'currentDate';

export const fieldChanges: Pick<Changes, FieldKind> = {
  set: { creates: true, next: (_, { value }) => value },
  setOnInsert: { creates: true, next: (_, { value }) => value },
  min: {
    creates: true,
    next: (current, { value }) =>
      current === undefined || compareValues(value, current) < 0 ? value : current,
  },
  max: {
    creates: true,
    next: (current, { value }) =>
      current === undefined || compareValues(value, current) > 0 ? value : current,
  },
  unset: { creates: false, next: () => undefined },
  inc: {
    creates: true,
    next: (current, operation) => result(operation, numeric(operation, current) + operation.number),
  },
  mul: {
    creates: true,
    next: (current, operation) => result(operation, numeric(operation, current) * operation.number),
  },
  currentDate: { creates: true, next: (_current, _operation, { now }) => now.toISOString() },
};

/** An absent field counts as 0. */
function numeric({ kind, path }: OperationOf<'inc' | 'mul'>, current: JsonValue | undefined): number {
  if (typeof current === 'number' || current === undefined) return current ?? 0;
  throw invalid(`${named(path)}: $${kind} needs a number, the field is of the type ${typeOf(current)}`);
}

/** Arithmetic is done in doubles; adding 0 turns −0 into 0. */
function result({ kind, path }: OperationOf<'inc' | 'mul'>, number: number): number {
  if (Number.isFinite(number)) return number + 0;
  throw invalid(`${named(path)}: the result of $${kind} is out of the range of doubles`);
}

/**
 * Moves a field and replaces the field at its target. Throws 400 when either path enters an array (manual, `$rename`).
 */
export function rename(document: JsonObject, { path, to }: OperationOf<'rename'>, room: Scratch): void {
  const source = findMember(document, path);
  const value = source && valueAt(source);
  if (source === undefined || value === undefined) return;
  const inArray = [path, to].find(each => crossesArray(document, each));
  if (inArray !== undefined) throw invalid(`${named(inArray)}: $rename cannot rename fields inside arrays`);
  remove(makeMember(document, path, room));
  put(makeMember(document, to, room), value, room);
}
