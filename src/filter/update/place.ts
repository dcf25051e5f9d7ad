import { invalid } from '../../kernel/errors.js';
import { isJsonObject, type JsonObject, type JsonValue } from '../../kernel/json.js';
import { type FieldPath, isIndex } from '../field-path.js';
import { typeOf } from './values.js';

/** MongoDB fills an array with at most so many nulls to reach a position behind its end; here in one document. */
const MAX_PADDING = 1_500_000;

/** Nulls that may still be filled in while one document is updated. */
export interface Padding {
  left: number;
}

export function padding(): Padding {
  return { left: MAX_PADDING };
}

/** Where a path ends: a field of an object, or a position in an array. */
export interface Place {
  readonly holder: JsonObject | JsonValue[];
  readonly part: string;
}

/** The place, or undefined when the way to it ends early. Never changes the document. */
export function findPlace(document: JsonObject, path: FieldPath): Place | undefined {
  let holder: JsonValue | undefined = document;
  for (const part of path.slice(0, -1))
    holder = isHolder(holder, part) ? valueAt({ holder, part }) : undefined;
  const part = path.at(-1) as string;
  return isHolder(holder, part) ? { holder, part } : undefined;
}

/** The place, made where there is none: objects on the way, nulls before a position. Throws 400 where that cannot be. */
export function makePlace(document: JsonObject, path: FieldPath, room: Padding): Place {
  let holder: JsonValue = document;
  for (const [index, part] of path.entries()) {
    if (!isHolder(holder, part)) throw unviable(path, index, holder);
    const place = { holder, part };
    if (index === path.length - 1) return place;
    if (valueAt(place) === undefined) put(place, {}, room);
    holder = valueAt(place) as JsonValue;
  }
  throw new Error('a path has at least one part');
}

/** True when the path enters an array: `$rename` refuses such a one. */
export function crossesArray(document: JsonObject, path: FieldPath): boolean {
  return path.some((_, index) => {
    const place = index > 0 ? findPlace(document, path.slice(0, index)) : undefined;
    return place !== undefined && Array.isArray(valueAt(place));
  });
}

export function valueAt({ holder, part }: Place): JsonValue | undefined {
  if (Array.isArray(holder)) return holder[Number(part)];
  return Object.hasOwn(holder, part) ? holder[part] : undefined;
}

export function put({ holder, part }: Place, value: JsonValue, room: Padding): void {
  if (!Array.isArray(holder)) {
    holder[part] = value;
    return;
  }
  const index = Number(part);
  room.left -= Math.max(0, index - holder.length);
  if (room.left < 0) throw invalid(`an update fills arrays with at most ${MAX_PADDING} nulls`);
  while (holder.length < index) holder.push(null);
  holder[index] = value;
}

/** An array keeps its length: null takes the place of what is removed. */
export function remove({ holder, part }: Place): void {
  if (Array.isArray(holder)) holder[Number(part)] = null;
  else delete holder[part];
}

function isHolder(value: JsonValue | undefined, part: string): value is JsonObject | JsonValue[] {
  return Array.isArray(value) ? isIndex(part) : isJsonObject(value);
}

function unviable(path: FieldPath, index: number, holder: JsonValue): Error {
  const above = path.slice(0, index).join('.');
  const is = Array.isArray(holder)
    ? 'an array, whose elements have numbers'
    : `of the type ${typeOf(holder)}`;
  return invalid(`${path.join('.')}: cannot create the field '${path[index]}', since '${above}' is ${is}`);
}
