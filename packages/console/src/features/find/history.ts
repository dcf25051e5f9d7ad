import { equalJson, isObject, type JsonObject } from '../../values/json.js';

/** Filters that are kept for each collection and person. */
const MAX_FILTERS = 20;
/** Longer ones are not kept: the storage of a browser is small. */
const MAX_CHARACTERS = 10_000;

type Store = Pick<Storage, 'getItem' | 'setItem' | 'removeItem'>;

const keyOf = (person: string, collection: string) => `filters:${person}:${collection}`;

/** The last filters that this person applied to the collection in this browser, the latest first. */
export function lastFilters(store: Store, person: string, collection: string): readonly JsonObject[] {
  try {
    const stored: unknown = JSON.parse(store.getItem(keyOf(person, collection)) ?? '[]');
    return Array.isArray(stored) ? stored.filter(isObject).slice(0, MAX_FILTERS) : [];
  } catch {
    return [];
  }
}

/** Puts a filter in front. It is kept once. Storage that is full or forbidden is no failure. */
export function rememberFilter(store: Store, person: string, collection: string, filter: JsonObject): void {
  if (Object.keys(filter).length === 0 || JSON.stringify(filter).length > MAX_CHARACTERS) return;
  const others = lastFilters(store, person, collection).filter(other => !equalJson(other, filter));
  try {
    store.setItem(keyOf(person, collection), JSON.stringify([filter, ...others].slice(0, MAX_FILTERS)));
  } catch {
    // The filter is in the address anyway.
  }
}

export function forgetFilters(store: Store, person: string, collection: string): void {
  store.removeItem(keyOf(person, collection));
}
