import type { Context } from '../context.js';
import type { Draft } from '../draft.js';
import type { Field } from '../fields/fields.js';
import type { Filter } from '../plan.js';
import { refuse } from '../refusal.js';

/**
 * All conditions as one filter, with the condition that a date exists if the question is about events such as hires.
 */
export function filterOf(draft: Draft, context: Context): Filter | undefined {
  const filter = joined(draft, context);
  const { event, conditions } = draft;
  const isDated = event === undefined || conditions.some(each => Object.hasOwn(each.filter, event.name));
  return isDated ? filter : withValue(filter, event);
}

/** An "or" between columns must join all conditions. Otherwise its scope is ambiguous. */
function joined({ conditions }: Draft, { fields }: Context): Filter | undefined {
  if (conditions.length === 0) return undefined;
  const filters = conditions.map(({ filter }) => filter);
  const [first, ...rest] = conditions.map(each => each.joined);
  if (first === 'or' || (rest.includes('or') && rest.includes('and'))) refuse('mixedLogic');
  if (rest.includes('or')) return { $or: filters };
  for (const { name, kind } of fields) {
    const tests = filters.filter(filter => Object.hasOwn(filter, name)).map(filter => filter[name]);
    if (tests.length > 1 && kind !== 'list' && tests.some(isWhole)) refuse('contradiction', name);
  }
  return allOf(filters);
}

/** A test that cannot be combined with another test of the same field: a value, several values or a range. */
function isWhole(test: unknown): boolean {
  if (typeof test !== 'object' || test === null) return true;
  return '$in' in test || ('$gte' in test && ('$lt' in test || '$lte' in test));
}

/** The name of the field that a condition compares, if it is one of these. */
export function comparedIn(conditions: Draft['conditions'], fields: readonly Field[]): string | undefined {
  const tests = conditions.flatMap(({ filter }) => Object.entries(filter));
  const isOne = (name: string) => fields.some(field => field.name === name);
  return tests.find(([name, test]) => isOne(name) && typeof test === 'object')?.[0];
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
