import type { IndexDefinition, IndexSet } from '../../../engine/storage/collection-shape.js';

/** What must be built and dropped to change from one set to the other. Order does not matter. */
export function differences(before: IndexSet, after: IndexSet): { created: IndexSet; dropped: IndexSet } {
  return { created: without(after, before), dropped: without(before, after) };
}

/** True when both sets are equal, in the same order. */
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

function key({ properties, kind }: IndexDefinition): string {
  return JSON.stringify([kind, ...properties]);
}
