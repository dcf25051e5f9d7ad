import { isOperators, type JsonObject } from '../../../values/json.js';
import type { Condition, Elements, Group, Item } from './model.js';
import { regexOf } from './pattern.js';

/** Where a filter stands: alone, or as an item of `$and`, `$or` and `$nor`. */
type Position = 'root' | 'item';

const LISTS = { all: '$and', any: '$or', none: '$nor' } as const;

/** The filter of a group, in the filter language. The group must have no problems (`problemsOf`). */
export function toFilter(group: Group, position: Position = 'root'): JsonObject {
  if (group.mode !== 'all') return { [LISTS[group.mode]]: group.items.map(filterOf) };
  const merged = group.explicit ? undefined : mergedAll(group.items, position);
  return merged ?? { $and: group.items.map(filterOf) };
}

function filterOf(item: Item): JsonObject {
  switch (item.kind) {
    case 'group':
      return toFilter(item, 'item');
    case 'raw':
      return item.filter;
    case 'search':
      return { $search: item.text };
    default:
      // Not a literal, in which `__proto__` would not be a member.
      return Object.fromEntries([[item.field, testOf(item)]]);
  }
}

/**
 * All items in one object, `{a: 1, b: 2}`. Undefined if that would be read as other items: two that use the same name,
 * or one alone that would lose its group.
 */
function mergedAll(items: readonly Item[], position: Position): JsonObject | undefined {
  const [first] = items;
  if (items.length === 1 && (position === 'item' || first?.kind === 'group')) return undefined;
  if (items.length === 1 && first?.kind === 'raw') return first.filter;
  const members = new Map<string, unknown>();
  // The name that the operators of the next condition can join.
  let open: string | undefined;
  for (const item of items) {
    const written = memberOf(item);
    if (written === undefined) return undefined;
    const [name, value] = written;
    if (members.has(name) && (name !== open || item.kind === 'raw')) return undefined;
    const together = members.has(name) ? joined(members.get(name), value) : value;
    if (together === undefined) return undefined;
    members.set(name, together);
    open = item.kind === 'raw' ? undefined : name;
  }
  const filter = Object.fromEntries(members);
  // JavaScript puts names that are numbers first.
  return Object.keys(filter).join('\0') === [...members.keys()].join('\0') ? filter : undefined;
}

function memberOf(item: Item): [string, unknown] | undefined {
  if (item.kind !== 'group') {
    const members = Object.entries(filterOf(item));
    return members.length === 1 ? members[0] : undefined;
  }
  return item.items.length === 0 || item.explicit ? undefined : [LISTS[item.mode], item.items.map(filterOf)];
}

/** Two objects of operators in one; undefined if they are no operators or have one in common. */
function joined(one: unknown, other: unknown): JsonObject | undefined {
  if (!isOperators(one) || !isOperators(other)) return undefined;
  return Object.keys(other).some(name => Object.hasOwn(one, name)) ? undefined : { ...one, ...other };
}

/** What stands beside the name of the field: a value, or operators. */
function testOf(item: Condition | Elements): unknown {
  if (item.not) return { $not: operatorsOf(item) };
  const isValue = item.kind === 'condition' && item.operator === 'eq' && !item.explicit && item.field !== '';
  return isValue && !isOperators(item.value) ? item.value : operatorsOf(item);
}

function operatorsOf(item: Condition | Elements): JsonObject {
  if (item.kind === 'elements') {
    return { $elemMatch: item.of === 'objects' ? toFilter(item.group) : elementTest(item.group) };
  }
  switch (item.operator) {
    case 'startsWith':
    case 'endsWith':
    case 'includes':
    case 'matches':
      return regexOf(item);
    default:
      return { [`$${item.operator}`]: item.value };
  }
}

/** The operators of all conditions on the element itself. */
function elementTest({ items }: Group): JsonObject {
  const tests = items.flatMap(item =>
    item.kind === 'condition' || item.kind === 'elements' ? [testOf(item) as JsonObject] : [],
  );
  return Object.assign({}, ...tests);
}
