import { TcError } from '@typed-collections/client';
import { isObject, type JsonObject } from '../../../values/json.js';
import { refusedPlaces } from '../editor/refused-places.js';
import type { Path } from '../model/edit.js';
import type { Group, Item } from '../model/model.js';
import { toFilter } from '../model/to-filter.js';

/** Codes of refusals that concern the filter. Others, such as a timeout, concern the reading of records. */
const OF_FILTER = new Set(['InvalidArguments', 'ValueTooLong']);

/** Why the service refuses a filter; undefined for failures that say nothing about it. */
export function refusalOf(error: unknown): string | undefined {
  return error instanceof TcError && OF_FILTER.has(error.code) ? error.message : undefined;
}

/**
 * The innermost items of the builder that the message of a refusal names, by their path as text. Empty if it names none.
 */
export function refusedItems(message: string, filter: JsonObject, group: Group): ReadonlyMap<string, string> {
  const found = new Map<string, string>();
  const first = refusedPlaces(message, filter)[0];
  if (first === undefined) return found;
  const wanted = JSON.stringify(first.at(-1));
  const visit = (items: readonly Item[], above: Path) => {
    for (const [index, item] of items.entries()) {
      const path = [...above, index];
      if (item.kind === 'group') visit(item.items, path);
      else if (item.kind === 'elements' && item.of === 'objects') visit(item.group.items, path);
      else if (names(item, message, wanted)) found.set(path.join('.'), message);
    }
  };
  visit(group.items, []);
  return found;
}

/** True if the message says the same about the filter of this item alone. */
function names(item: Item, message: string, wanted: string): boolean {
  const own = toFilter({ kind: 'group', mode: 'all', items: [item] });
  return isObject(own) && refusedPlaces(message, own).some(path => JSON.stringify(path.at(-1)) === wanted);
}
