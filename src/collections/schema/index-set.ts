import type { IndexDefinition } from '../../storage/collection-shape.js';
import type { IndexSet } from '../../storage/index-build.js';

/** What has to be built and what dropped to get from one set to another. The order of a set means nothing. */
export function differences(before: IndexSet, after: IndexSet): { created: IndexSet; dropped: IndexSet } {
  return { created: without(after, before), dropped: without(before, after) };
}

/** True when the lists are equal to the last position, so that there is nothing to do, not even to show. */
export function sameSet(one: IndexSet, other: IndexSet): boolean {
  return (
    [keys(one.indexes).join(';'), keys(one.uniques).join(';')].join('|') ===
    [keys(other.indexes).join(';'), keys(other.uniques).join(';')].join('|')
  );
}

function without(set: IndexSet, other: IndexSet): IndexSet {
  const rest = (list: readonly IndexDefinition[], known: readonly IndexDefinition[]) => {
    const there = new Set(keys(known));
    return list.filter((_, at) => !there.has(keys(list)[at] as string));
  };
  return { indexes: rest(set.indexes, other.indexes), uniques: rest(set.uniques, other.uniques) };
}

function keys(list: readonly IndexDefinition[]): string[] {
  return list.map(({ properties }) => properties.join(','));
}
