import { BACKSLASH, COMMA, OPEN_LIST, OPEN_OBJECT, QUOTE } from './ascii.js';
import { MAX_VALUES } from './limits.js';

export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

/** True for `{…}`, false for arrays, null and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The object's own property of a name that a client chose. Inherited names such as `constructor` are not found. */
export function ownValue<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** JSON that is already text (most often built by PostgreSQL) and is sent to the client unchanged. */
export class JsonText {
  constructor(
    /** As bytes if it is long. */
    readonly content: string | Buffer,
    /** Opaque part of the entity tag: it changes whenever the text changes. */
    readonly tag?: string,
  ) {}

  get text(): string {
    return this.content.toString();
  }
}

/** Items of together more characters become bytes one by one. */
const LONG_LIST = 64 * 1024;

/**
 * JSON whose items are already text: `{head}[{items}]{tail}`. A long one is never one text: V8 would copy it twice, when it
 * joins the items and when it makes the text flat, and each of the copies would be garbage at once.
 */
export function jsonList(head: string, items: readonly string[], tail: string): JsonText {
  let length = 0;
  for (const item of items) length += item.length;
  return new JsonText(
    length < LONG_LIST ? `${head}[${items.join(',')}]${tail}` : listBytes(head, items, tail),
  );
}

function listBytes(head: string, items: readonly string[], tail: string): Buffer {
  const [before, after] = [`${head}[`, `]${tail}`];
  let size = Buffer.byteLength(before) + items.length - 1 + Buffer.byteLength(after);
  for (const item of items) size += Buffer.byteLength(item);
  const bytes = Buffer.allocUnsafe(size);
  let at = bytes.write(before);
  items.forEach((item, index) => {
    if (index > 0) bytes[at++] = COMMA;
    at += bytes.write(item, at);
  });
  bytes.write(after, at);
  return bytes;
}

/** Text up to this length cannot contain more than MAX_VALUES values. */
const SHORT = MAX_VALUES;

/** True when a JSON value consists of more than `most` values. Stops counting at that number. */
export function isTooMany(value: unknown, most = MAX_VALUES): boolean {
  let count = 1;
  const holders: object[] = isHolder(value) ? [value] : [];
  while (holders.length > 0) {
    const holder = holders.pop() as object;
    // Listing the keys of a long array would be slower than visiting its items.
    if (Array.isArray(holder)) {
      count += holder.length;
      if (count > most) return true;
      for (const held of holder) if (isHolder(held)) holders.push(held);
      continue;
    }
    for (const name in holder) {
      if (++count > most) return true;
      const held = (holder as Record<string, unknown>)[name];
      if (isHolder(held)) holders.push(held);
    }
  }
  return false;
}

function isHolder(value: unknown): value is object {
  return typeof value === 'object' && value !== null;
}

/**
 * True for JSON text that certainly contains more than `MAX_VALUES` values; checked without parsing. Text that passes
 * contains at most twice as many. Each comma and each opening bracket outside of strings stands for a value.
 */
export function isTextOfTooMany(text: string): boolean {
  if (text.length <= SHORT) return false;
  let [commas, opened] = [0, 0];
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at);
    if (code === COMMA) {
      if (++commas >= MAX_VALUES) return true;
    } else if (code === OPEN_LIST || code === OPEN_OBJECT) {
      if (++opened > MAX_VALUES) return true;
    } else if (code === QUOTE) at = endOfString(text, at);
  }
  return false;
}

/**
 * Index of the quote that ends the string which begins at `at`; the length of the text when the string is not closed.
 */
function endOfString(text: string, at: number): number {
  let end = at + 1;
  for (; end < text.length; end++) {
    const code = text.charCodeAt(end);
    if (code === QUOTE) return end;
    if (code === BACKSLASH) end++;
  }
  return end;
}

/** False for a value that is too deep, or that contains text which PostgreSQL or UTF-8 cannot represent. */
export function isStorable(value: unknown, levels: number): boolean {
  if (typeof value === 'string') return value.isWellFormed() && !value.includes('\0');
  if (typeof value !== 'object' || value === null) return true;
  return (
    levels > 0 &&
    Object.entries(value).every(([name, each]) => isStorable(name, levels) && isStorable(each, levels - 1))
  );
}
