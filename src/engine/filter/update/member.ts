import { invalid } from '../../../base/kernel/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../../base/kernel/json.js';
import type { FieldPath } from '../field-path.js';
import { typeOf } from './values.js';

/**
 * Maximum of nulls that an update adds to arrays to reach positions beyond their end. MongoDB adds up to 1,500,000, but
 * a record has no more values than this.
 */
const MAX_PADDING = 250_000;

/** What one update of one document has used and copied so far. */
export interface Scratch {
  /** Nulls that may still be filled in. */
  nullsLeft: number;
  /** Objects and arrays that are already copies, so they may be changed. */
  readonly copies: Set<JsonValue>;
}

/** `copy`: a shallow copy of the document, which may be changed. */
export function scratch(copy: JsonObject): Scratch {
  return { nullsLeft: MAX_PADDING, copies: new Set([copy]) };
}

/** The end of a path: a field of an object, or a position in an array. */
export interface Member {
  readonly holder: JsonObject | JsonValue[];
  readonly part: string;
}

/** The end of a path, or undefined when the path ends early. Never changes the document. */
export function findMember(document: JsonObject, path: FieldPath): Member | undefined {
  let holder: JsonValue | undefined = document;
  for (const part of path.slice(0, -1))
    holder = isHolder(holder, part) ? valueAt({ holder, part }) : undefined;
  const part = path.at(-1) as string;
  return isHolder(holder, part) ? { holder, part } : undefined;
}

/**
 * The end of a path, for a change. Creates missing objects on the path, and nulls before a position. Each parent on the
 * path is copied once per update; the rest of the document is shared. Throws 400 when the path cannot exist.
 */
export function makeMember(document: JsonObject, path: FieldPath, room: Scratch): Member {
  let holder: JsonValue = document;
  for (const [index, part] of path.entries()) {
    if (!isHolder(holder, part)) throw unviable(path, index, holder);
    const member: Member = { holder, part };
    if (index === path.length - 1) return member;
    const value: JsonValue | undefined = ownValue(member, room);
    holder = value === undefined ? put(member, own({}, room), room) : value;
  }
  throw new Error('a path has at least one part');
}

/** The value of a member in a copy. An object or array is copied first, unless it is a copy already. */
function ownValue(member: Member, room: Scratch): JsonValue | undefined {
  const value = valueAt(member);
  if (typeof value !== 'object' || value === null || room.copies.has(value)) return value;
  return put(member, own(Array.isArray(value) ? value.slice() : { ...value }, room), room);
}

function own<T extends JsonValue>(copy: T, room: Scratch): T {
  room.copies.add(copy);
  return copy;
}

/** True when the path enters an array, which `$rename` refuses. */
export function crossesArray(document: JsonObject, path: FieldPath): boolean {
  let holder: JsonValue | undefined = document;
  for (const part of path.slice(0, -1)) {
    holder = isHolder(holder, part) ? valueAt({ holder, part }) : undefined;
    if (Array.isArray(holder)) return true;
  }
  return false;
}

export function valueAt({ holder, part }: Member): JsonValue | undefined {
  if (Array.isArray(holder)) return holder[Number(part)];
  return Object.hasOwn(holder, part) ? holder[part] : undefined;
}

/** Sets the value and returns it. */
export function put<T extends JsonValue>({ holder, part }: Member, value: T, room: Scratch): T {
  if (!Array.isArray(holder)) {
    holder[part] = value;
    return value;
  }
  const index = Number(part);
  room.nullsLeft -= Math.max(0, index - holder.length);
  if (room.nullsLeft < 0) throw invalid(`an update fills arrays with at most ${MAX_PADDING} nulls`);
  while (holder.length < index) holder.push(null);
  holder[index] = value;
  return value;
}

/** Removes a field. An array keeps its length: null replaces the removed element. */
export function remove({ holder, part }: Member): void {
  if (Array.isArray(holder)) holder[Number(part)] = null;
  else delete holder[part];
}

/** At most nine digits, as in paths of filters. Leading zeros do not matter: `00` is the first position. */
const POSITION = /^0*\d{1,9}$/;

function isHolder(value: JsonValue | undefined, part: string): value is JsonObject | JsonValue[] {
  return Array.isArray(value) ? POSITION.test(part) : isJsonObject(value);
}

function unviable(path: FieldPath, index: number, holder: JsonValue): Error {
  const above = path.slice(0, index).join('.');
  const is = Array.isArray(holder)
    ? 'an array, whose elements are addressed by number'
    : `of the type ${typeOf(holder)}`;
  return invalid(`${path.join('.')}: cannot create the field '${path[index]}', since '${above}' is ${is}`);
}
