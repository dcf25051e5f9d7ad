import { ownValue } from '../../kernel/json.js';
import type { Draft, Filter } from './draft.js';
import type { Field } from './fields.js';
import type { Ground } from './ground.js';
import { refuseContradiction, refuseMixedLogic } from './refusal.js';

/** All conditions as one filter. An "or" between columns must join all of them, else its scope is a guess. */
export function joinConditions({ conditions }: Draft, { fields }: Ground): Filter | undefined {
  if (conditions.length === 0) return undefined;
  const rest = conditions.slice(1);
  if (conditions[0]!.joined === 'or') refuseMixedLogic();
  if (rest.some(({ joined }) => joined === 'or')) {
    if (rest.some(({ joined }) => joined === 'and')) refuseMixedLogic();
    return { $or: conditions.map(({ filter }) => filter) };
  }
  for (const { name, kind } of fields) {
    const tests = conditions.map(({ filter }) => ownValue(filter, name)).filter(test => test !== undefined);
    if (tests.length > 1 && kind !== 'list' && tests.some(isWhole)) refuseContradiction(name);
  }
  return allOf(conditions.map(({ filter }) => filter));
}

/** A value, some values or a range: nothing that another test of the same field could add to. */
function isWhole(test: unknown): boolean {
  if (typeof test !== 'object' || test === null) return true;
  return '$in' in test || ('$gte' in test && ('$lt' in test || '$lte' in test));
}

/** Filters that all hold, in one. */
export function allOf(filters: readonly Filter[]): Filter {
  const names = filters.flatMap(filter => Object.keys(filter));
  if (new Set(names).size < names.length) return { $and: filters };
  return Object.assign({}, ...filters);
}

/** A filter that keeps only records with a value of the field. */
export function withValue(filter: Filter | undefined, field: Field): Filter {
  const present = { [field.name]: { $ne: null } };
  return filter === undefined ? present : allOf([filter, present]);
}

/** Among the best there is no group without a name. */
export function withGroups(groups: readonly Field[], filter: Filter | undefined): Filter | undefined {
  const open = groups.filter(({ name }) => filter === undefined || !Object.hasOwn(filter, name));
  return open.reduce<Filter | undefined>((all, field) => withValue(all, field), filter);
}
