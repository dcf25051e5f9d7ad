import type { Group, Item } from './model.js';

/** The place of an item: the positions from the root down. Groups inside of `Elements` count as one step. */
export type Path = readonly number[];

/** The group with the item at `path` changed. An undefined result removes the item. */
export function changed(group: Group, path: Path, change: (item: Item) => Item | undefined): Group {
  const [index, ...rest] = path;
  if (index === undefined) return (change(group) as Group | undefined) ?? { ...group, items: [] };
  const items = group.items.flatMap((item, at) => (at === index ? inside(item, rest, change) : [item]));
  return { ...group, items };
}

function inside(item: Item, rest: Path, change: (item: Item) => Item | undefined): Item[] {
  if (rest.length === 0) {
    const result = change(item);
    return result === undefined ? [] : [result];
  }
  if (item.kind === 'elements') return [{ ...item, group: changed(item.group, rest, change) }];
  return item.kind === 'group' ? [changed(item, rest, change)] : [item];
}

/** The model as it is applied: without groups that are empty, which would be refused or mean nothing. */
export function pruned(group: Group): Group {
  const items = group.items.flatMap((item): Item[] => {
    if (item.kind === 'elements') return [{ ...item, group: pruned(item.group) }];
    if (item.kind !== 'group') return [item];
    const inner = pruned(item);
    return inner.items.length === 0 ? [] : [inner];
  });
  return { ...group, items };
}
