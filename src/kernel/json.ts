/** Any value that JSON can say. */
export type JsonValue = null | boolean | number | string | JsonValue[] | JsonObject;
export interface JsonObject {
  [name: string]: JsonValue;
}

/** True for `{…}`, false for arrays, null and scalars. */
export function isJsonObject(value: unknown): value is JsonObject {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** What an object itself holds under a name that a client chose: `constructor` and its like are inherited by every object. */
export function ownValue<T>(object: Readonly<Record<string, T>>, name: string): T | undefined {
  return Object.hasOwn(object, name) ? object[name] : undefined;
}

/** JSON that is already text (most often built by PostgreSQL) and goes to the client as it is. */
export class JsonText {
  constructor(
    readonly text: string,
    /** Opaque part of its entity tag: another one whenever the text is another. */
    readonly tag?: string,
  ) {}
}
