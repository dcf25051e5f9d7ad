import type { IndexDefinition } from '../../storage/collection-shape.js';
import type { IndexSet } from '../../storage/index-build.js';

/** What has to be built and what dropped to get from one set to another. The order of a set means nothing. */
export function differences(before: IndexSet, after: IndexSet): { created: IndexSet; dropped: IndexSet } {
  return { created: without(after, before), dropped: without(before, after) };
}

/** True when there is nothing to do, not even to show the set in another order. */
export function sameSet(one: IndexSet, other: IndexSet): boolean {
  const shown = ({ indexes, uniques }: IndexSet) => JSON.stringify([indexes.map(key), uniques.map(key)]);
  return shown(one) === shown(other);
}

function without(set: IndexSet, other: IndexSet): IndexSet {
  const rest = (list: readonly IndexDefinition[], known: readonly IndexDefinition[]) => {
    const there = new Set(known.map(key));
    return list.filter(definition => !there.has(key(definition)));
  };
  return { indexes: rest(set.indexes, other.indexes), uniques: rest(set.uniques, other.uniques) };
}

function key({ properties }: IndexDefinition): string {
  return properties.join(',');
}
